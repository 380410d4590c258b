import type { CallLimit, Gate } from '@app/gateway-adapters/contract';
import { PaynetGate, type Upstream, type UpstreamAccount, type UpstreamReply } from '@app/gateway-adapters/paynet';
import { Secret, sleep, type AttemptKey, type Currency, type GateAlias } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import { UpstreamGateway } from '../../contract/gates/upstream-gateway';

const ACCOUNT: UpstreamAccount = {
  login: 'upstream-acme',
  controlKey: new Secret('0123456789abcdef0123456789abcdef'),
  entryPoint: { kind: 'endpoint', id: '7001' },
};
const ANSWER_MS = 20;
const POLL_MS = 3_000;
const KEY = /(?:^|&)client_orderid=([^&]+)/;

type Request = Parameters<Upstream['send']>[0];

export type Line = 'works' | 'refuses' | 'hangs';

/** An upstream gateway behind a faulty connection. Its orders are the ledger of the moved money. */
export class FarUpstream implements Upstream {
  readonly gateway = new UpstreamGateway(ACCOUNT);
  line: Line = 'works';
  /** If the connection hangs: whether a payment arrives and only its answer is lost. */
  arrives: (key: AttemptKey) => boolean = () => true;
  readonly sent = new Map<AttemptKey, number>();
  readonly askedAbout = new Set<AttemptKey>();
  underWayMax = 0;
  #underWay = 0;

  constructor(private readonly clock: VirtualClock) {}

  gate(alias: GateAlias): Gate {
    const { clock } = this;
    return new PaynetGate({
      profile: {
        alias,
        currencies: ['USD' as Currency],
        cvvRequired: false,
        threeDSecure: false,
        partialReversal: true,
        partialCapture: true,
        longestFlightMs: 5_000,
        descriptor: 'test-a',
        needsTexts: true,
      },
      account: ACCOUNT,
      upstream: this,
      clock,
      monotonic: clock,
      scheduler: clock,
      pollMs: POLL_MS,
      isKeyed: false,
      codes: { '3': 'not-found' },
    });
  }

  async send(request: Request, limit: CallLimit): Promise<UpstreamReply> {
    this.#underWay += 1;
    this.underWayMax = Math.max(this.underWayMax, this.#underWay);
    try {
      return await this.#carry(request, limit);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #carry(request: Request, limit: CallLimit): Promise<UpstreamReply> {
    const key = KEY.exec(request.body)?.[1] as AttemptKey;
    const isPayment = request.path.includes('/sale/');
    const { line } = this;
    if (line === 'refuses') return { kind: 'not-sent' };
    if (isPayment) this.sent.set(key, (this.sent.get(key) ?? 0) + 1);
    if (line === 'hangs') {
      if (isPayment && this.arrives(key)) this.#answer(request);
      await sleep(this.clock, limit.withinMs);
      return { kind: 'lost', cause: 'timeout' };
    }
    if (!isPayment) this.askedAbout.add(key);
    const body = this.#answer(request);
    await sleep(this.clock, ANSWER_MS);
    return { kind: 'answered', body };
  }

  #answer({ path, headers, body }: Request): string {
    return this.gateway.answer({ path, headers, body }).body;
  }
}
