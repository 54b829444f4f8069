import { useLocation, useSearchParams } from 'wouter';

/** Which tab is open, kept in the address so that a link leads to it and Back works. */
export function useTab(first: string): [string, (tab: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  useLocation();
  return [
    search.get('tab') ?? first,
    (tab) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (tab === null || tab === first) next.delete('tab');
          else next.set('tab', tab);
          return next;
        },
        { replace: true },
      ),
  ];
}
