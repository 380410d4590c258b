import { readFileSync } from 'node:fs';
import { seededRandom } from '@app/testing';
import { wholeNumber } from '../support/crash/run-settings';
import { FuzzedRequests } from '../support/fuzzed-requests';
import { Merchant } from '../support/merchant';
import { sandboxConfiguration } from '../support/sandbox-configuration';
import { Service } from '../support/service';

const SEED = wholeNumber('FUZZ_SEED', 20_240);
/** Safety, B12: 20,000 in each run, 1,000,000 on demand. */
const REQUESTS = wholeNumber('FUZZ_REQUESTS', 20_000);
const AT_ONCE = 32;
/** Until caches are full and code is compiled: what it has then is what it needs. */
const WARM_UP_SHARE = 0.25;
const GROWTH_BYTES_MAX = 64 * 1_024 * 1_024;
const KIB = 1_024;
const FAULTS_SHOWN_MAX = 20;

jest.setTimeout(60_000 + REQUESTS * 10);

let service: Service;
let acme: Merchant;
beforeAll(async () => {
  service = await Service.start({ configuration: sandboxConfiguration(), environment: { LOG_LEVEL: 'error' } });
  acme = new Merchant(service);
});
afterAll(() => service.dispose());

const residentBytes = (pid: number): number => {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error('no VmRSS');
  return Number(kib) * KIB;
};

it(`${REQUESTS} requests of every route, each with something changed or broken: every one is answered, none with 5xx, and memory stays (safety, B12; FUZZ_SEED=${SEED})`, async () => {
  const order = await acme.approvedSale();
  const { fields } = await acme.createCardRef(order);
  const requests = new FuzzedRequests(seededRandom(SEED), acme, order, fields['card-ref-id'] ?? '');
  const { pid } = service;
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  const latenciesMs: number[] = [];
  let [sent, warmBytes] = [0, 0];
  const program = async (): Promise<void> => {
    while (sent < REQUESTS) {
      sent += 1;
      if (sent === Math.ceil(REQUESTS * WARM_UP_SHARE)) warmBytes = residentBytes(pid);
      const { path, options, told } = requests.next();
      const startedAt = performance.now();
      try {
        const { status } = await service.request(path, options);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500) faults.push(`${status}: ${told}`);
      } catch (error) {
        faults.push(`${String(error)}: ${told}`);
      }
      latenciesMs.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, program));
  const grownBytes = residentBytes(pid) - warmBytes;
  latenciesMs.sort((one, other) => one - other);
  const p99Ms = latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? 0;
  const counts = [...statuses].sort().map(([status, count]) => `${count} x ${status}`);
  process.stdout.write(`\nfuzz: ${counts.join(', ')}; p99 ${p99Ms.toFixed(1)} ms; grown by ${(grownBytes / KIB / KIB).toFixed(1)} MiB\n`);

  expect(faults.slice(0, FAULTS_SHOWN_MAX)).toStrictEqual([]);
  // Nobody was let down behind an answer either.
  const failures = service
    .logLines()
    .filter(({ event }) => event === 'request.failed' || event === 'process.crashed' || event === 'order.work-failed');
  expect(failures.slice(0, FAULTS_SHOWN_MAX)).toStrictEqual([]);
  expect(grownBytes).toBeLessThan(GROWTH_BYTES_MAX);
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2);
  expect(await acme.finalStatus(await acme.accepted(acme.sale()))).toMatchObject({ status: 'approved' });
});
