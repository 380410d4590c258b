import { systemScheduler } from '@app/kernel';
import fc from 'fast-check';
import { connectionSettings } from './connection-url';
import { RawClient } from './raw-client';

const fault = (url: string): string => {
  try {
    new RawClient(connectionSettings(url), systemScheduler, 1_000);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('was taken');
};

describe('connectionSettings', () => {
  it('returns hosts and options for the client, and the credentials separately', () => {
    expect(connectionSettings(' esdb://payments:p%40ss%3Aword@es1:2113,es2:2114/?tls=true&tlsCAFile=/ca.pem ')).toStrictEqual({
      clientUrl: 'esdb://es1:2113,es2:2114?tls=true&tlsCAFile=/ca.pem&gossipTimeout=1',
      credentials: { username: 'payments', password: 'p@ss:word' },
      server: 'es1:2113,es2:2114',
    });
    expect(connectionSettings('esdb+discover://cluster.example:2113/')).toStrictEqual({
      clientUrl: 'esdb+discover://cluster.example:2113?gossipTimeout=1',
      credentials: undefined,
      server: 'cluster.example:2113',
    });
    expect(connectionSettings('esdb://127.0.0.1?tls=false').clientUrl).toBe('esdb://127.0.0.1?tls=false');
    expect(connectionSettings('esdb://a,b?gossip-timeout=3').clientUrl).toBe('esdb://a,b?gossip-timeout=3');
  });

  it('accepts a colon, a slash or an @ in the password', () => {
    expect(connectionSettings('esdb://u:a:b/@c@host').credentials).toStrictEqual({ username: 'u', password: 'a:b/@c' });
  });

  it('returns settings that the EventStoreDB client accepts', () => {
    for (const url of ['esdb://u:p@h:1?tls=false', 'esdb+discover://h', 'esdb://h1,h2:3?Tls=false&node-preference=leader']) {
      expect(() => new RawClient(connectionSettings(url), systemScheduler, 1_000)).not.toThrow();
    }
  });

  it.each([
    ['postgres://u:hunter2@h', 'expected is esdb://'],
    ['esdb://', 'expected is esdb://'],
    ['esdb://?tls=false', 'a host is not readable'],
    ['esdb://hunter2@h', 'a user name comes with a password'],
    ['esdb://u:%hunter2%@h', 'a % in the user name or password'],
    ['esdb://pay%3Aments:hunter2@h', 'a user name with a colon cannot be used'],
    ['esdb://u:hunter2?x@h', 'a host is not readable'],
    ['esdb://u:hunter2@h:99999', 'a port is none'],
    ['esdb://u:hunter2@h:port', 'a host is not readable'],
    ['esdb+discover://u:hunter2@h1,h2', 'takes one host'],
    ['esdb://u:hunter2@h?tlsVerifyCert=false', 'tlsVerifyCert=false is not served'],
    ['esdb://u:hunter2@h?throwOnAppendFailure=false', 'is not used'],
    ['esdb://u:hunter2@h?hunter2=1', 'an option is none of'],
    ['esdb://u:hunter2@h?tls', 'an option is written as name=value'],
    ['esdb://u:hunter2@h?tls=maybe', 'true or false'],
    ['esdb://u:hunter2@h?tlsCAFile=/no/such/ca.pem', 'File was not found'],
    ['esdb://u:hunter2@h?userCertFile=/no/such/cert.pem', 'userKeyFile'],
  ])('refuses a URL in one line without the password: %s', (url, meaning) => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(fault(url)).toContain(meaning);
    expect(fault(url)).toMatch(/^EVENTSTORE_URL: [^\n]+$/);
    expect(fault(url)).not.toContain('hunter2');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('decodes every percent-encoded password, and never shows one in an error', () => {
    const secret = fc
      .string({ minLength: 6, unit: 'grapheme' })
      .filter((text) => !'esdb://user@host?tls=false&x=1EVENTSTORE_URL'.includes(text));
    fc.assert(
      fc.property(secret, fc.constantFrom('h', 'h:2113', 'h:x', 'h h', 'h?x=1', 'h?tls=perhaps'), (password, rest) => {
        const url = `esdb://user:${encodeURIComponent(password)}@${rest}`;
        try {
          const settings = connectionSettings(url);
          expect(settings.credentials?.password).toBe(password);
          expect(settings.clientUrl).not.toContain(encodeURIComponent(password));
        } catch (error) {
          expect((error as Error).message).not.toContain(password);
        }
      }),
    );
  });
});
