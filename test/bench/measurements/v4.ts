import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { processCpuMs } from '../harness/process-cpu';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import type { Fill, Filled } from '../load/filled-log';
import { LoadGenerator, perSecond } from '../load/load';
import { OAUTH_PUBLIC_KEY_FILE, type NamedOrder, type Requests } from '../load/requests';
import type { V4Parts, V4PartsAsked } from '../load/v4-parts';

const CONNECTIONS = 64;
const STATUSES = 4_000;
/** Each of an order whose card has no reference yet. */
const REGISTRATIONS = 2_000;
const ORDERS_ASKED = 200;
const PARTS_CALLS = 5_000;
const TIMEOUT_MS = 300_000;
const MICROSECONDS_PER_MS = 1_000;

const KINDS = ['status', 'create-card-ref'] as const;
const VERSIONS = ['v2', 'v4'] as const;
type Kind = (typeof KINDS)[number];
type Version = (typeof VERSIONS)[number];

interface Measured {
  readonly rate: number[];
  /** CPU of the service for each request, in µs. */
  readonly cpu: number[];
}

const nothing = (): Measured => ({ rate: [], cpu: [] });

/** Compares an RSA signature with a nonce that is accepted once with a checksum. */
export const v4 = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const dataDir = folder.folder('v4');
    const registrations = (ROUNDS + 1) * VERSIONS.length * REGISTRATIONS;
    const filled = await askOnce<Fill, Filled>('fill-log', { dataDir, orders: registrations, sample: registrations }, TIMEOUT_MS);
    const configurationPath = folder.configuration({ oauthPublicKeyFile: OAUTH_PUBLIC_KEY_FILE });
    const service = await RunningService.start({ dataDir, configurationPath, roles: 'api,worker', readyTimeoutMs: TIMEOUT_MS });
    const generator = new LoadGenerator();
    const measured: Readonly<Record<Kind, Readonly<Record<Version, Measured>>>> = {
      status: { v2: nothing(), v4: nothing() },
      'create-card-ref': { v2: nothing(), v4: nothing() },
    };
    const parts: V4Parts[] = [];
    let registered = 0;
    const ordersFor = (kind: Kind): readonly NamedOrder[] => {
      if (kind === 'status') return filled.sample.slice(0, ORDERS_ASKED);
      registered += REGISTRATIONS;
      return filled.sample.slice(registered - REGISTRATIONS, registered);
    };
    const ask = async (
      requests: Extract<Requests, { kind: 'status' | 'create-card-ref' }>,
    ): Promise<{ rate: number; cpu: number | undefined }> => {
      const before = processCpuMs(service.pid);
      const prepare = requests.kind === 'status' ? STATUSES : REGISTRATIONS;
      const result = await generator.run({ ports: [service.port], connections: CONNECTIONS, requests, prepare });
      const after = processCpuMs(service.pid);
      const cpuMs = before === undefined || after === undefined ? undefined : after - before;
      return { rate: perSecond(result), cpu: cpuMs === undefined ? undefined : (cpuMs * MICROSECONDS_PER_MS) / result.answered };
    };
    try {
      for (let round = -1; round < ROUNDS; round++) {
        for (const kind of KINDS) {
          for (const version of VERSIONS) {
            const { rate, cpu } = await ask({ kind, version, orders: ordersFor(kind) });
            if (round < 0) continue;
            measured[kind][version].rate.push(rate);
            if (cpu !== undefined) measured[kind][version].cpu.push(cpu);
          }
        }
        const question = { dataDir: folder.folder(`parts-${round}`), calls: PARTS_CALLS };
        if (round >= 0) parts.push(await askOnce<V4PartsAsked, V4Parts>('v4-parts', question, TIMEOUT_MS));
      }
    } finally {
      await Promise.all([generator.stop(), service.stop()]);
    }
    const cpu = (name: string, rounds: readonly number[]): readonly Figure[] => (rounds.length === 0 ? [] : [{ name, unit: 'µs', rounds }]);
    const figuresOf = (kind: Kind): readonly Figure[] => [
      ...VERSIONS.map((version): Figure => ({ name: `${kind} ${version}`, unit: '/s', rounds: measured[kind][version].rate })),
      ratioOf(`${kind} v4 against v2`, measured[kind].v4.rate, measured[kind].v2.rate),
      ...VERSIONS.flatMap((version) => cpu(`CPU of the service a ${kind} ${version}`, measured[kind][version].cpu)),
    ];
    return {
      figures: [
        ...KINDS.flatMap(figuresOf),
        ...cpu(
          'of it for v4: the header read, the signed text written',
          parts.map(({ readingMicroseconds }) => readingMicroseconds),
        ),
        ...cpu(
          'of it for v4: the RSA signature verified',
          parts.map(({ verificationMicroseconds }) => verificationMicroseconds),
        ),
        ...cpu(
          'of it for v4: the nonce taken for good',
          parts.map(({ nonceMicroseconds }) => nonceMicroseconds),
        ),
      ],
      notes: [
        `${CONNECTIONS} connections, each with one request under way; ${STATUSES.toLocaleString('en')} statuses of ${ORDERS_ASKED} orders and ${REGISTRATIONS.toLocaleString('en')} registrations a round and version, each of another approved order whose card has no reference yet, interleaved, on the embedded stores with both roles; a round before the first is not counted. v2 has a checksum by SHA-1, v4 is signed by RSA-SHA256 with a key of 2,048 bits, every request with a nonce of its own.`,
        'Where the time goes: a v4 request verifies the signature, on the main thread, and claims the nonce in the log before it is answered: a durable append where a status v2 writes nothing. Registration v2 appends one reference, v4 two, one after the other (to charge, and for transfers), and the nonce. The parts were taken by themselves in a process of their own, the nonce with 64 under way.',
        generator.note(),
      ],
    };
  });
