import {
  Activity,
  Blocks,
  Boxes,
  ChartNoAxesCombined,
  Home,
  KeyRound,
  LockKeyhole,
  MessagesSquare,
  Plus,
  ScrollText,
  Server,
  Settings,
  SquareFunction,
  SquareTerminal,
  UserRoundCog,
  Users,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import type { TextKey } from '../i18n/en.ts';

/** An entry of the navigation. */
export interface Place {
  readonly href: string;
  readonly name: TextKey;
  readonly icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
}

interface PlaceGroup {
  readonly name: TextKey | null;
  readonly places: readonly Place[];
}

/** All navigation entries, in sidebar order. */
export const placeGroups: readonly PlaceGroup[] = [
  { name: null, places: [{ href: '/', name: 'nav.home', icon: Home, key: 'h' }] },
  {
    name: 'nav.build',
    places: [
      { href: '/apis', name: 'nav.apis', icon: Boxes, key: 'a' },
      { href: '/tools', name: 'nav.tools', icon: Wrench, key: 't' },
      { href: '/servers', name: 'nav.servers', icon: Server, key: 's' },
      { href: '/code', name: 'nav.code', icon: SquareTerminal, key: 'o' },
      { href: '/composed', name: 'nav.composed', icon: SquareFunction, key: 'd' },
      { href: '/playground', name: 'nav.playground', icon: MessagesSquare, key: 'p' },
    ],
  },
  {
    name: 'nav.monitor',
    places: [
      { href: '/calls', name: 'nav.calls', icon: Activity, key: 'c' },
      { href: '/analytics', name: 'nav.analytics', icon: ChartNoAxesCombined, key: 'y' },
    ],
  },
  {
    name: 'nav.access',
    places: [
      { href: '/credentials', name: 'nav.credentials', icon: LockKeyhole, key: 'r' },
      { href: '/keys', name: 'nav.keys', icon: KeyRound, key: 'k' },
      { href: '/connected-apps', name: 'nav.connectedApps', icon: Blocks, key: 'b' },
    ],
  },
  {
    name: 'nav.administration',
    places: [
      { href: '/people', name: 'nav.people', icon: Users, key: 'm' },
      { href: '/audit', name: 'nav.audit', icon: ScrollText, key: 'u' },
      { href: '/settings', name: 'nav.settings', icon: Settings, key: 'e' },
    ],
  },
];

/** What people without a role have. */
export const ownPlaces: readonly PlaceGroup[] = [
  { name: null, places: [{ href: '/me', name: 'account.title', icon: UserRoundCog, key: 'h' }] },
];

export const places: readonly Place[] = placeGroups.flatMap((group) => group.places);

/** Where most people start. */
export const addPlace: Place = { href: '/add', name: 'nav.add', icon: Plus, key: 'n' };
