import { timeEnoughFor } from '../call-limit';
import type { CanListen, ChargeRequest, InboundRequest, InquiryAnswer, OutcomeReport, SentRequest } from '@app/gateway-adapters/contract';
import type { AttemptKey, Currency } from '@app/kernel';
import { expectApproved, inquiryAt, textOf } from './expected-gate-answers';
import type { GateNotifications, GateTraits, GateUnderContract, WantedAnswer } from './gate-under-contract';

const UNKNOWN_KEY = '00000000-0000-4000-8000-000000000000' as AttemptKey;
/** The limit of a gate's route. */
const BODY_CHARACTERS_MAX = 65_536;

const MALFORMED: readonly string[] = [
  '',
  '{}',
  '[]',
  'null',
  '"approved"',
  '{"status":',
  '<html>Bad Gateway</html>',
  '{"__proto__":{"status":"approved"}}',
  '\u0000',
  '['.repeat(BODY_CHARACTERS_MAX),
  'a'.repeat(BODY_CHARACTERS_MAX),
  '4'.repeat(BODY_CHARACTERS_MAX),
];

/** Contract of a gate with notifications (safety, F6). */
export const itListens = (worldOf: () => GateUnderContract, { listensAtOneAddress = false }: GateTraits): void => {
  const listeningOf = ({ gate: { listening } }: Pick<GateUnderContract, 'gate'>): CanListen => {
    if (listening === undefined) throw new Error('the gate does not listen');
    return listening;
  };
  const notifications = (): GateNotifications => {
    const { notifications: told } = worldOf();
    if (told === undefined) throw new Error('the stand-in notifies nobody');
    return told;
  };
  const charged = async (wanted: WantedAnswer): Promise<ChargeRequest> => {
    const request = worldOf().request(wanted);
    await worldOf().gate.charging?.charge(request, timeEnoughFor(request));
    return request;
  };
  const heardBy = async (listening: CanListen, request: InboundRequest): Promise<readonly OutcomeReport[]> => {
    const { reply, reports } = await listening.listen(request);
    expect(Number.isInteger(reply.status) && reply.status >= 200 && reply.status <= 599).toBe(true);
    return reports.flatMap((report) => (report.kind === 'outcome' ? [report] : []));
  };
  const heard = (request: InboundRequest): Promise<readonly OutcomeReport[]> => heardBy(listeningOf(worldOf()), request);
  const outcomeOf = async (request: InboundRequest, sent: SentRequest): Promise<InquiryAnswer> => {
    const [report, ...others] = await heard(request);
    expect(others).toEqual([]);
    expect(report?.key).toBe(sent.key);
    return report?.answerTo(sent) ?? { kind: 'not-found' };
  };
  const decides = ({ kind }: InquiryAnswer): boolean => kind === 'approved' || kind === 'declined' || kind === 'not-asked';

  if (!listensAtOneAddress) {
    it('sends the notification address with a charge', async () => {
      const request = await charged('approved');
      expect(notifications().addressOf?.(request.orderId)).toContain(request.notificationUrl);
    });
  }

  it.each(['approved', 'declined'] as const)('reports the outcome of an inquiry: %s, from every kind of notification', async (wanted) => {
    const request = await charged(wanted);
    const inquired = await inquiryAt(worldOf().gate, request);
    const told = notifications().about(request);
    expect(told.length).toBeGreaterThan(0);
    for (const notification of told) {
      const answer = await outcomeOf(notification, request);
      if (answer.kind !== 'approved' && answer.kind !== 'declined') throw new Error(`heard ${textOf(answer)}`);
      if (wanted === 'approved') expectApproved(answer);
      expect({ ...answer, processedAt: 0 }).toMatchObject({
        kind: inquired.kind,
        transactionId: answer.transactionId,
        ...('approvalCode' in inquired && { approvalCode: inquired.approvalCode }),
        ...('code' in inquired && { code: inquired.code }),
      });
    }
  });

  it('returns the same outcome for a repeated notification, in any process and later', async () => {
    const request = await charged('approved');
    const other = listeningOf({ gate: await worldOf().inAnotherProcess() });
    for (const notification of notifications().about(request)) {
      const [first] = await heard(notification);
      const answer = first?.answerTo(request);
      const [again] = await heardBy(other, notification);
      expect([first?.answerTo(request)?.kind, again?.answerTo(request).kind]).toEqual([answer?.kind, answer?.kind]);
    }
  });

  it('returns no final outcome while the outcome is open', async () => {
    const request = await charged('unknown');
    for (const notification of notifications().about(request)) {
      const reports = await heard(notification);
      expect(reports.filter((report) => decides(report.answerTo(request)))).toEqual([]);
    }
  });

  it('returns the key of a request that was never sent, for the log to decide', async () => {
    const request = { ...worldOf().request('approved'), key: UNKNOWN_KEY };
    for (const notification of notifications().about(request))
      expect((await heard(notification)).map(({ key }) => key)).toEqual([UNKNOWN_KEY]);
  });

  it("ignores a notification that was not signed with the gate's key", async () => {
    const request = await charged('declined');
    const forged = notifications().forgedAbout(request);
    expect(forged.length).toBeGreaterThan(0);
    for (const notification of forged) expect(await heard(notification)).toEqual([]);
  });

  it('decides nothing for another request or another amount', async () => {
    const request = await charged('approved');
    const sum = { minor: request.amount.minor + 1n, currency: request.amount.currency };
    const others: readonly SentRequest[] = [
      { ...request, key: UNKNOWN_KEY },
      { ...request, amount: sum },
      { ...request, amount: { ...request.amount, currency: 'XTS' as Currency } },
    ];
    for (const notification of notifications().about(request)) {
      const [report] = await heard(notification);
      for (const sent of others) expect(report && decides(report.answerTo(sent))).toBe(false);
    }
  });

  it('returns no outcome for malformed or huge notifications, and does not throw', async () => {
    const request = await charged('approved');
    for (const notification of [...notifications().about(request), ...notifications().forgedAbout(request)]) {
      for (const text of MALFORMED) {
        const query = new Map([...notification.query].map(([name]) => [name, text] as const));
        expect(await heard({ ...notification, body: text, query, rawQuery: text })).toEqual([]);
        expect(
          await heard({ ...notification, contentType: text.slice(0, 100), headers: new Map([['x', text]]), body: text, query: new Map() }),
        ).toEqual([]);
      }
    }
  });
};
