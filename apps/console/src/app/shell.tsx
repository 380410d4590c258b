import { Link, Outlet, useLocation, useNavigate, type LinkProps } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Role } from '../port';
import { setPreferences, usePreferences } from '../preferences';
import { SignIn } from '../screens/sign-in';
import { Badge } from '../ui/badge';
import { Icon } from '../ui/icons';
import { Page } from '../ui/page';
import { Choice, copyText } from '../ui/parts';
import { ErrorNotice, Notice, Skeleton } from '../ui/states';
import { alarm, Toasts } from '../ui/toasts';
import { useFeedState } from './feed';
import { HelpDialog } from './help-dialog';
import { SearchDialog } from './search-dialog';
import { SessionGate, signOut, useSession } from './session';
import { useShortcut } from './shortcuts';

interface Entry {
  readonly to: NonNullable<LinkProps['to']>;
  readonly word: string;
  readonly role: Role;
}

const ENTRIES: readonly Entry[] = [
  { to: '/', word: 'Overview', role: 'viewer' },
  { to: '/orders', word: 'Orders', role: 'investigator' },
  { to: '/queues', word: 'Queues', role: 'viewer' },
  { to: '/gates', word: 'Gates', role: 'viewer' },
  { to: '/what-if', word: 'What-if', role: 'investigator' },
  { to: '/approvals', word: 'Approvals', role: 'investigator' },
  { to: '/activity', word: 'Activity', role: 'investigator' },
  { to: '/log', word: 'Log', role: 'viewer' },
];

/** The frame of every screen, or the sign-in. */
export const Shell = (): ReactNode => (
  <>
    <SessionGate
      signInScreen={(props) => <SignIn {...props} />}
      whileUnknown={(error) => (
        <main className="alone">{error === null ? <Skeleton /> : <ErrorNotice error={error} onRetry={() => location.reload()} />}</main>
      )}
    >
      <Frame />
    </SessionGate>
    <Toasts />
  </>
);

const Frame = (): ReactNode => {
  const { can } = useSession();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'help' | 'search'>();
  const close = (): void => setDialog(undefined);
  useShortcut('Ctrl K', 'Search any identifier', () => (can('investigator') ? setDialog('search') : undefined));
  useShortcut('?', 'Show these keys', () => setDialog('help'));
  useShortcut('g h', 'Go to the overview', () => void navigate({ to: '/' }));
  const goIf = (role: Role, to: Entry['to']) => () => (can(role) ? void navigate({ to }) : undefined);
  useShortcut('g o', 'Go to the orders', goIf('investigator', '/orders'));
  useShortcut('g u', 'Go to the unknown outcomes', () => void navigate({ to: '/queues', search: { queue: 'unknown' } }));
  useShortcut('g d', 'Go to the disputes', () => void navigate({ to: '/queues', search: { queue: 'disputes' } }));
  useShortcut('g c', 'Go to the callbacks', () => void navigate({ to: '/queues', search: { queue: 'callbacks' } }));
  useShortcut('g g', 'Go to the gates', goIf('viewer', '/gates'));
  useShortcut('g w', 'Go to what-if', goIf('investigator', '/what-if'));
  useShortcut('g a', 'Go to the approvals', goIf('investigator', '/approvals'));
  useShortcut('g y', 'Go to the activity', goIf('investigator', '/activity'));
  useShortcut('g l', 'Go to the log', goIf('viewer', '/log'));
  useShortcut('y', 'Copy the address of this page', () => void copyText(location.href, 'Address'));
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Banner onSearch={() => setDialog('search')} onHelp={() => setDialog('help')} />
      <div className="frame">
        <Navigation />
        <main id="main" tabIndex={-1}>
          <FeedNotice />
          <Screen />
        </main>
      </div>
      {dialog === 'search' ? <SearchDialog onClose={close} /> : null}
      {dialog === 'help' ? <HelpDialog onClose={close} /> : null}
    </>
  );
};

/** The screen of the address, or a refusal if the role may not read it. The port would refuse each request of the screen, and record it. */
const Screen = (): ReactNode => {
  const { can, role } = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const entry = ENTRIES.find(({ to }) => to !== '/' && `${path}/`.startsWith(`${to}/`));
  if (entry === undefined || can(entry.role)) return <Outlet />;
  return (
    <Page title={entry.word}>
      <Notice tone="warn" icon="stop" title="Refused">
        This page needs the role {entry.role}, and you have {role}. Ask an administrator.
      </Notice>
    </Page>
  );
};

const Navigation = (): ReactNode => {
  const { can } = useSession();
  return (
    <nav className="navigation" aria-label="Screens">
      {ENTRIES.filter(({ role }) => can(role)).map(({ to, word }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          {word}
        </Link>
      ))}
    </nav>
  );
};

const instanceName = (address: string): string => address.replace(/^https?:\/\//, '');

const Banner = ({ onSearch, onHelp }: { readonly onSearch: () => void; readonly onHelp: () => void }): ReactNode => {
  const { environment, instance, release, role, can } = useSession();
  return (
    <header className={`banner ${environment}`}>
      <Link to="/" className="brand" aria-label="Console, overview">
        <span className="mark" aria-hidden="true" />
        <span className="brand-word">Console</span>
      </Link>
      <span className="environment">{environment === 'production' ? 'Production' : 'Test'}</span>
      <span className="instance" title="Instance and release">
        <span className="instance-name">{instanceName(instance)}</span> <span className="release">{release}</span>
      </span>
      <FeedBadge />
      <span className="role">{role}</span>
      {can('investigator') ? (
        <button type="button" className="search-button" onClick={onSearch} aria-keyshortcuts="Control+K">
          <Icon name="search" />
          <span className="search-word">Search</span>
          <kbd aria-hidden="true">Ctrl K</kbd>
        </button>
      ) : null}
      <Menu onHelp={onHelp} />
    </header>
  );
};

const FeedBadge = (): ReactNode => {
  const state = useFeedState();
  return (
    <span className="feed" role="status" title="Whether new events reach this page at once">
      {state === 'live' ? (
        <Badge tone="ok" icon="dot">
          Live
        </Badge>
      ) : state === 'lost' ? (
        <Badge tone="warn">Feed lost</Badge>
      ) : null}
    </span>
  );
};

const FeedNotice = (): ReactNode =>
  useFeedState() === 'lost' ? (
    <Notice tone="warn" icon="warning" title="New events do not reach this page">
      What is shown may be old. The page connects again, and misses nothing.
    </Notice>
  ) : null;

const Menu = ({ onHelp }: { readonly onHelp: () => void }): ReactNode => {
  const { name, role, merchants, release } = useSession();
  const { theme, zone } = usePreferences();
  const end = (): void => {
    signOut().catch((error: unknown) => alarm(`You are still signed in: ${error instanceof Error ? error.message : String(error)}`));
  };
  return (
    <details className="menu" name="menu">
      <summary>
        <span className="person">{name}</span>
        <Icon name="down" />
      </summary>
      <div className="menu-body">
        <p className="muted">
          {name}, {role}
          {merchants === null ? null : <>, for {merchants.join(', ')}</>}. Release {release}.
        </p>
        <div className="menu-row">
          <span>Times</span>
          <Choice
            label="Times"
            value={zone}
            options={[
              ['utc', 'UTC'],
              ['local', 'Local'],
              ['relative', 'Relative'],
            ]}
            onChange={(next) => setPreferences({ zone: next })}
          />
        </div>
        <div className="menu-row">
          <span>Theme</span>
          <Choice
            label="Theme"
            value={theme}
            options={[
              ['system', 'System'],
              ['light', 'Light'],
              ['dark', 'Dark'],
            ]}
            onChange={(next) => setPreferences({ theme: next })}
          />
        </div>
        <button type="button" className="quiet" onClick={onHelp}>
          Keyboard <kbd>?</kbd>
        </button>
        <button type="button" className="quiet" onClick={end}>
          Sign out
        </button>
      </div>
    </details>
  );
};
