import { describeMerchantCarrier } from '../testing/merchant-carrier.contract';
import { newSqliteTestVault } from '../testing/sqlite-test-vault';

/** A thread that compiles its own source starts slowly where the machine is busy. */
jest.setTimeout(60_000);

describeMerchantCarrier('SQLite to SQLite', newSqliteTestVault, newSqliteTestVault);
