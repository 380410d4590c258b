import { AUDIT_FORMATS, type ListOrders, type OrderTrails, AuditService, type OrderNames } from '@app/investigation';
import type { Operator } from '@app/configuration';
import { EndableDeadline } from '@app/kernel';
import { AuditController } from './audit.controller';

const JANE = { name: 'jane', role: 'investigator', tokenSha256: '' } as Operator;
const deadline = new EndableDeadline();

type Page = Partial<NonNullable<Awaited<ReturnType<ListOrders['page']>>>>;
type Trail = Partial<NonNullable<Awaited<ReturnType<OrderTrails['of']>>>>;

const controller = ({ page = {}, trail = {}, index }: { page?: Page; trail?: Trail; index?: 'behind' | 'missing' }): AuditController => {
  const whole = { orders: [], next: undefined, isCutShort: false, areReferencesCut: false, digest: 'd', ...page };
  const names: Pick<OrderNames, 'one' | 'listState'> = {
    one: () => Promise.resolve({ kind: 'order', orderId: 'o-1', merchant: 'acme', stream: 's' } as never),
    listState: () => Promise.resolve(index),
  };
  const ports = {
    lists: { page: () => Promise.resolve(whole) },
    trails: { of: () => Promise.resolve({ entries: [], revealedTexts: 0, isCutShort: false, areQuestionsCut: false, ...trail }) },
    names,
    digests: { onceKey: () => 'd' },
    clock: { now: () => 0 },
    audit: { answered: () => Promise.resolve() },
  };
  return new AuditController(new AuditService(ports as never));
};

describe.each(AUDIT_FORMATS)('the headers of an audit response in %s', (format) => {
  const listed = async (given: Parameters<typeof controller>[0]) => (await controller(given).list({ format }, JANE, deadline)).headers;
  const trailed = async (trail: Trail) => (await controller({ trail }).trail('o-1', { format }, JANE, deadline)).headers;

  it('are empty for a complete response', async () => {
    expect(await listed({})).toEqual({});
    expect(await trailed({})).toEqual({});
  });

  it('list the omitted orders and the cursor of the next page', async () => {
    expect(await listed({ page: { areReferencesCut: true } })).toEqual({ 'Audit-Left-Out': 'references' });
    expect(await listed({ page: { areReferencesCut: true, isCutShort: true, next: 'c' } })).toEqual({
      'Audit-Next': 'c',
      'Audit-Left-Out': 'references, orders',
    });
  });

  it.each(['behind', 'missing'] as const)('report that the index is %s', async (index) => {
    expect(await listed({ index })).toEqual({ 'Audit-Index': index });
  });

  it('report that a trail omits queries or events', async () => {
    expect(await trailed({ areQuestionsCut: true })).toEqual({ 'Audit-Left-Out': 'questions' });
    expect(await trailed({ areQuestionsCut: true, isCutShort: true })).toEqual({ 'Audit-Left-Out': 'events, questions' });
  });
});
