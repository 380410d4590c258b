import { loadKeyRing, openVault } from '@app/card-vault';
import { Secret, systemClock, type MerchantLogin } from '@app/kernel';

const WRITERS = 8;
const ROUNDS_MAX = 100_000;
const acme = 'acme' as MerchantLogin;

const [url = '', ringPath = '', life = ''] = process.argv.slice(2);

void (async () => {
  const vault = await openVault({ at: { kind: 'postgres', url: new Secret(url) }, keyRing: loadKeyRing(ringPath), clock: systemClock });
  process.stdout.write('ready\n');
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const holder = `${life}.${writer}.${round}`;
      const card = new Secret({ number: '4444333322221111', expiryMonth: 7, expiryYear: 2031, holder });
      const { handle, uid } = await vault.keep(acme, card, `payment-${holder}`);
      const key = await vault.takeKey();
      process.stdout.write(`${handle} ${holder} ${uid} ${key.id} ${key.seal(acme, 'email', holder)}\n`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
})();
