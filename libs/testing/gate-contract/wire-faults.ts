import {
  close,
  drip,
  endlessly,
  held,
  hugeBody,
  hugeHeaders,
  malformedStatusLine,
  redirect,
  reply,
  reset,
  silence,
  twice,
  type PeerAnswer,
} from '@app/gateway-adapters/client/testing';
import type { CallLimit, ChargeAnswer, ChargeRequest, Gate } from '@app/gateway-adapters/contract';
import { expectApproved, inquiryAt } from './expected-gate-answers';
import type { GateUnderContract, GateWire } from './gate-under-contract';

const WITHIN_MS = 1_000;
const HUGE_BYTES = 1_048_576;

const FAULTS: readonly (readonly [title: string, fault: () => PeerAnswer])[] = [
  ['is silent', silence],
  ['drips its answer slowly and without end', () => drip(endlessly('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x'))],
  ['resets the connection after the request', reset],
  ['closes the connection after the request', close],
  ['answers with a malformed status line', malformedStatusLine],
  ['answers with nothing', () => reply('')],
  ['answers with a page', () => reply('<html>we are being maintained</html>')],
  ['answers with a page and 404', () => reply('<html>Not Found</html>', { status: 404 })],
  ['answers with a page and 502', () => reply('<html>Bad Gateway</html>', { status: 502 })],
  ['answers with a huge body', () => hugeBody(HUGE_BYTES)],
  ['answers with huge headers', () => hugeHeaders(HUGE_BYTES)],
  ['redirects us elsewhere', () => redirect('http://127.0.0.1:1/')],
];

/** Contract for answers that are lost, late or doubled on the wire (safety, I1 and F1). */
export const itSurvivesTheWire = (worldOf: () => GateUnderContract): void => {
  const wireOf = (): GateWire => {
    const { wire } = worldOf();
    if (wire === undefined) throw new Error('the stand-in has no wire');
    return wire;
  };
  const chargeAt = ({ charging }: Gate, request: ChargeRequest): Promise<ChargeAnswer> => {
    const limit: CallLimit = { withinMs: WITHIN_MS, signal: AbortSignal.timeout(WITHIN_MS) };
    return charging?.charge(request, limit) ?? Promise.reject(new Error('the gate cannot charge'));
  };
  const lost = (fault: PeerAnswer): PeerAnswer => {
    const wire = wireOf();
    return (socket, request) => {
      wire.carryOut(request);
      fault(socket, request);
    };
  };
  const expectOneCharge = async (request: ChargeRequest): Promise<void> => {
    expectApproved(await inquiryAt(worldOf().gate, request));
    expect([wireOf().charges(request.orderId), worldOf().approvedCharges(request.orderId)]).toEqual([1, 1]);
  };

  it.each(FAULTS)('is inquired and not charged again if the acquirer has the charge but %s', async (_, fault) => {
    const request = worldOf().request('approved');
    wireOf().peer.answers(lost(fault()));
    expect(['approved', 'unknown']).toContain((await chargeAt(worldOf().gate, request)).kind);
    await expectOneCharge(request);
  });

  it('does not take a late response for that of another request', async () => {
    const request = worldOf().request('approved');
    const late = held(wireOf().honest);
    wireOf().peer.answers(lost(late));
    expect(['approved', 'unknown']).toContain((await chargeAt(worldOf().gate, request)).kind);
    await expectOneCharge(request);
    late.release();
    await expectOneCharge(request);
  });

  it('does not take a duplicate response for that of another request', async () => {
    const [first, second] = [worldOf().request('approved'), worldOf().request('declined')];
    wireOf().peer.answers(twice(wireOf().honest));
    await chargeAt(worldOf().gate, first);
    expect(['declined', 'unknown', 'not-asked']).toContain((await chargeAt(worldOf().gate, second)).kind);
    await expectOneCharge(first);
  });

  it('reports that the gate was not asked if its port is closed', async () => {
    const gate = await wireOf().unreachable();
    const request = worldOf().request('approved');
    expect(await chargeAt(gate, request)).toEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect((await inquiryAt(gate, request)).kind).toBe('unknown');
    expect(await inquiryAt(worldOf().gate, request)).toEqual({ kind: 'not-found' });
    expect(worldOf().approvedCharges(request.orderId)).toBe(0);
  });
};
