import { useLocation, useSearchParams } from 'wouter';

/** The open tab, kept in the URL so that it can be linked and Back works. */
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
