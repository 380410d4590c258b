import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { answerOf, port, PortRefusal, whenSessionEnds, type Role, type Schemas } from '../port';
import { startFeed, stopFeed } from './feed';
import { queries } from './reading';

type Session = Schemas['ShownSession'];

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, investigator: 1, operator: 2, admin: 3 };
const KEY = ['/session'];

const readSession = async (signal: AbortSignal): Promise<Session | null> => {
  try {
    return await answerOf(port.GET('/session', { signal }));
  } catch (error) {
    if (error instanceof PortRefusal && error.status === 401) return null;
    throw error;
  }
};

const CODE = /^#code=([\w-]+)$/;

// It leaves the address before the router reads it.
let linkCode = CODE.exec(window.location.hash)?.[1];
if (linkCode !== undefined) window.history.replaceState(null, '', window.location.pathname + window.location.search);

/** The code of a sandbox's link, in place of a token. Valid once. */
export const takeLinkCode = (): string | undefined => {
  const code = linkCode;
  linkCode = undefined;
  return code;
};

const Context = createContext<Session | undefined>(undefined);

/** The signed-in operator. Only below the sign-in. */
export const useSession = (): Session & { readonly can: (role: Role) => boolean } => {
  const session = useContext(Context);
  if (session === undefined) throw new Error('there is no session here');
  return { ...session, can: (role) => RANKS[session.role] >= RANKS[role] };
};

let lastName: string | undefined;

/**
 * @param leave goes to another screen: the open one was chosen by another person
 * @throws PortRefusal
 */
export const signIn = async (token: string, leave: () => Promise<void>): Promise<void> => {
  const session = await answerOf(port.POST('/session', { body: { token } }));
  if (lastName !== undefined && lastName !== session.name) await leave();
  queries.setQueryData(KEY, session);
};

/** @throws PortRefusal */
export const signOut = async (): Promise<void> => {
  await answerOf(port.DELETE('/session'));
  forget();
};

/** Nothing of one person stays for the next. */
const forget = (): void => {
  lastName = queries.getQueryData<Session>(KEY)?.name;
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  queries.setQueryData(KEY, null);
};

interface SessionGateProps {
  readonly children: ReactNode;
  /** Shown instead to somebody who is not signed in. `wasSignedIn`: a session ended while the page was open. */
  readonly signInScreen: (props: { readonly wasSignedIn: boolean }) => ReactNode;
  readonly whileUnknown: (error: Error | null) => ReactNode;
}

/** Shows its children to a signed-in person. The address stays, so that after a sign-in the same screen opens. */
export const SessionGate = ({ children, signInScreen, whileUnknown }: SessionGateProps): ReactNode => {
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => readSession(signal) });
  const [wasSignedIn, setWasSignedIn] = useState(false);
  const isSignedIn = data !== null && data !== undefined;
  useEffect(() => {
    whenSessionEnds(() => {
      if (queries.getQueryData(KEY) === null || queries.getQueryData(KEY) === undefined) return;
      setWasSignedIn(true);
      forget();
    });
  }, []);
  useEffect(() => {
    if (!isSignedIn) return undefined;
    // An unused code must not sign in again after the sign-out.
    linkCode = undefined;
    setWasSignedIn(false);
    startFeed();
    return stopFeed;
  }, [isSignedIn]);
  if (data === undefined) return whileUnknown(error);
  if (data === null) return signInScreen({ wasSignedIn });
  return <Context value={data}>{children}</Context>;
};
