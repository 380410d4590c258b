export interface ConnectionSettings {
  /** Without user name and password, so that nothing the client prints or throws can contain them. */
  readonly clientUrl: string;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  readonly server: string;
}

const SCHEME = /^(esdb(?:\+discover)?):\/\//;
const HOST = /^[A-Za-z0-9._-]+(?::(\d{1,5}))?$/;
const PORT_MAX = 65_535;
const OPTIONS = [
  'tls',
  'tlsCAFile',
  'userCertFile',
  'userKeyFile',
  'connectionName',
  'nodePreference',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
  'defaultDeadline',
] as const;
/** By default the client waits 5 s for an unreachable node, which is longer than a failover. */
const GOSSIP_TIMEOUT = 'gossipTimeout=1';
const EXPECTED =
  'esdb://[user:password@]host[:port][,host[:port]...][?option=value&...], or esdb+discover:// with a name that leads to a cluster';

/** Never repeats a part of the URL: in a malformed URL the password can be anywhere. */
const refuse = (fault: string): never => {
  throw new Error(`EVENTSTORE_URL: ${fault}`);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('a % in the user name or password must be written as %25');
  }
};

const credentialsIn = (userInfo: string): { username: string; password: string } => {
  const colon = userInfo.indexOf(':');
  const [username, password] = colon < 0 ? [userInfo, ''] : [userInfo.slice(0, colon), userInfo.slice(colon + 1)];
  if (username === '' || password === '') return refuse('a user name comes with a password, user:password@');
  const credentials = { username: decoded(username), password: decoded(password) };
  // HTTP Basic ends the name at its first colon, so the server would report a wrong password.
  if (credentials.username.includes(':')) return refuse('a user name with a colon cannot be used: the server would not know it');
  return credentials;
};

/** The client would print a warning with the whole URL and ignore the option. */
const assertOption = (option: string): void => {
  const [name = '', value = ''] = option.split('=');
  if (value === '') refuse('an option is written as name=value');
  const flat = name.trim().toLowerCase().replace(/[_-]/g, '');
  if (flat === 'tlsverifycert' && value === 'true') return;
  if (flat === 'tlsverifycert') refuse('tlsVerifyCert=false is not served: name the certificate of the authority with tlsCAFile');
  if (flat === 'throwonappendfailure') refuse('throwOnAppendFailure is not used');
  if (!OPTIONS.some((known) => known.toLowerCase() === flat)) refuse(`an option is none of ${OPTIONS.join(', ')}`);
};

const assertHost = (host: string): void => {
  const match = HOST.exec(host);
  if (match === null) refuse(`a host is not readable; expected is ${EXPECTED}`);
  const port = match?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > PORT_MAX)) refuse('a port is none');
};

/**
 * Parses an EventStoreDB address: hosts, TLS (on unless `tls=false`), and a user by password or certificate files.
 * @throws Error with one line, without any part of the URL
 */
export const connectionSettings = (url: string): ConnectionSettings => {
  const text = url.trim().replace(/\/+$/, '');
  const [scheme] = SCHEME.exec(text) ?? [];
  if (scheme === undefined) return refuse(`expected is ${EXPECTED}`);
  const rest = text.slice(scheme.length);
  const question = rest.indexOf('?');
  const authority = (question < 0 ? rest : rest.slice(0, question)).replace(/\/+$/, '');
  const options = question < 0 ? [] : rest.slice(question + 1).split('&');
  const at = authority.lastIndexOf('@');
  const credentials = at < 0 ? undefined : credentialsIn(authority.slice(0, at));
  const hosts = authority.slice(at + 1).split(',');
  for (const host of hosts) assertHost(host);
  if (scheme.includes('discover') && hosts.length > 1) refuse('esdb+discover:// takes one host, the name of the cluster');
  for (const option of options) assertOption(option);
  const isCluster = scheme.includes('discover') || hosts.length > 1;
  if (isCluster && !options.some((option) => /^gossip[_-]?timeout=/i.test(option))) options.push(GOSSIP_TIMEOUT);
  const query = options.length === 0 ? '' : `?${options.join('&')}`;
  return { clientUrl: `${scheme}${hosts.join(',')}${query}`, credentials, server: hosts.join(',') };
};
