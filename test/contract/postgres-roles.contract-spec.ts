import { createSecretKey, randomBytes } from 'node:crypto';
import { openVault, type EnvelopeCardVault, type KeyRing } from '@app/card-vault';
import { Secret, systemClock, type MerchantLogin } from '@app/kernel';
import { startPostgresAlone, type Postgres } from '@app/databases/testing';
import { addressIn, runAll as run, setUpDatabases, type Role } from '../support/processes/production-databases';

/** Allows for a server start on a busy machine. */
jest.setTimeout(60_000);

/** A given server may already have roles and databases of these names. */
const withOwnServer = process.env['TEST_POSTGRES_URL'] === undefined ? describe : describe.skip;

withOwnServer('the roles that deploy/postgres sets up', () => {
  let server: Postgres;
  const at = (database: string, role?: Role): string => addressIn(server.url, database, role);
  const refused = async (url: string, text: string): Promise<string> => {
    try {
      await run(url, text);
      return 'allowed';
    } catch (error) {
      return (error as Error).message;
    }
  };

  const acme = 'acme' as MerchantLogin;
  const card = { number: '4444333322221111', expiryMonth: 7, expiryYear: 2031, holder: 'JOHN SMITH' };
  const key = () => createSecretKey(randomBytes(32));
  const keyRing: KeyRing = {
    primaryKekId: 1,
    keks: new Map([[1, key()]]),
    indexKeys: [{ id: 1, key: key() }],
    serviceKey: key(),
    retired: new Set(),
  };
  let vault: EnvelopeCardVault;

  beforeAll(async () => {
    server = await startPostgresAlone();
    await setUpDatabases(server.url);
    vault = await openVault({ at: { kind: 'postgres', url: new Secret(at('card_vault', 'card_vault')) }, keyRing, clock: systemClock });
  });
  afterAll(async () => {
    await vault.close();
    await server.stop();
  });

  it('the vault role can perform every vault operation in its own schema', async () => {
    const { handle, uid } = await vault.keep(acme, new Secret(card), 'payment-1');
    expect((await vault.open(acme, handle)).reveal()).toEqual(card);
    await vault.uidNumber(acme, uid);
    await vault.markOwned(acme, handle);
    await vault.shred(acme, handle);
    const { id } = await vault.takeKey();
    await vault.erase([id]);
    expect((await vault.ready()).isReady).toBe(true);
    await run(at('card_vault', 'card_vault'), 'VACUUM FULL cards', 'VACUUM FULL order_keys');
    const tables = await run(at('card_vault'), "SELECT tablename, schemaname FROM pg_tables WHERE tableowner = 'card_vault' ORDER BY 1");
    expect(tables.map(({ tablename }) => tablename)).toEqual([
      'card_uids',
      'cards',
      'known_answers',
      'order_keys',
      'ownerless_cards',
      'schema_versions',
    ]);
    expect(new Set(tables.map(({ schemaname }) => schemaname))).toEqual(new Set(['card_vault']));
  });

  it('the read model role cannot access the vault', async () => {
    const theirs = at('card_vault', 'read_models');
    expect(await refused(theirs, 'SELECT 1')).toContain('permission denied for database "card_vault"');
    // Also if a role is let into the database by mistake.
    await run(at('card_vault'), 'GRANT CONNECT ON DATABASE card_vault TO read_models');
    try {
      expect(await refused(theirs, 'SELECT blob FROM card_vault.cards')).toBe('permission denied for schema card_vault');
      expect(await refused(theirs, 'SET ROLE card_vault')).toBe('permission denied to set role "card_vault"');
      expect(await refused(theirs, 'CREATE TABLE public.x (y int)')).toBe('permission denied for schema public');
    } finally {
      await run(at('card_vault'), 'REVOKE CONNECT ON DATABASE card_vault FROM read_models');
    }
  });

  it('the vault role cannot access other databases or create objects outside its tables', async () => {
    expect(await refused(at('read_models', 'card_vault'), 'SELECT 1')).toContain('permission denied for database "read_models"');
    const own = at('card_vault', 'card_vault');
    expect(await refused(own, 'CREATE TABLE public.x (y int)')).toBe('permission denied for schema public');
    expect(await refused(own, 'CREATE SCHEMA more')).toBe('permission denied for database card_vault');
    expect(await refused(own, 'CREATE TEMPORARY TABLE x (y int)')).toContain('permission denied');
    expect(await refused(own, 'CREATE ROLE more')).toContain('permission denied');
    expect(await refused(own, "COPY cards TO PROGRAM 'cat'")).toContain('permission denied');
  });

  it('the server is set not to log parameters of the vault role, which cannot change the setting', async () => {
    const own = at('card_vault', 'card_vault');
    expect(await run(own, 'SHOW log_parameter_max_length')).toEqual([{ log_parameter_max_length: '0' }]);
    expect(await run(own, 'SHOW log_parameter_max_length_on_error')).toEqual([{ log_parameter_max_length_on_error: '0' }]);
    expect(await refused(own, 'SET log_parameter_max_length = -1')).toContain('permission denied');
  });

  it('the read model role can create its tables', async () => {
    const own = at('read_models', 'read_models');
    await run(own, 'CREATE TABLE made (x int)');
    expect(await run(own, "SELECT schemaname FROM pg_tables WHERE tablename = 'made'")).toEqual([{ schemaname: 'read_models' }]);
  });
});
