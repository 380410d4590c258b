import { sql, type RawBuilder } from 'kysely';
import type { StoredEvent } from '@app/event-store';
import type { MerchantLogin, OrderId } from '@app/kernel';
import { paymentStream } from '@app/payment';
import { MemoryDisk, type MemoryDatabase } from '@app/read-models/testing';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Aftermath } from './aftermaths';
import { SECURITY_CODE, statusOf, type OrderRecord } from './merchant-records';
import { ConnectionLost } from './network';
import type { Report } from './oracle/report';
import { eventsOf, readModelOver } from './stores';
import type { World } from './world';

const ANSWERED_WITHIN_MS = 60_000;
const WAITS_FOR_PAYER = 'sale_3d_validating';
const RESTARTED_WITHIN_MS = 60_000;
const RELEASED_WITHIN_MS = 60_000;
const POLLS = 10;
const LEFT_SHARE = 0.6;
const APPROVAL_CODE = 'W0RLD1';
const FORGED_CODE = 'F0RGED';

const answerIn = async (world: World, asking: Promise<Answer>): Promise<Answer['fields'] | 'lost'> => {
  const answered = asking.then(
    ({ fields }) => fields,
    (error: unknown) => {
      if (error instanceof ConnectionLost) return 'lost' as const;
      throw error;
    },
  );
  await world.time.advance(ANSWERED_WITHIN_MS);
  return answered;
};

const clientOf = ({ network, merchants: [merchant] }: World): Merchant => {
  if (merchant === undefined) throw new Error('a world has merchants');
  const { login, controlKeys, endpointId } = merchant.settings;
  const [controlKey = ''] = controlKeys();
  return new Merchant(network, { login, controlKey, at: endpointId, pathPrefix: '/paynet' });
};

const approvedSaleOf = ({ merchants: [merchant] }: World): (OrderRecord & { readonly login: MerchantLogin }) | undefined => {
  const found = [...(merchant?.orders.values() ?? [])].find(({ kind, statuses, followUps }) => {
    const last = statuses.at(-1);
    return kind === 'sale' && followUps.length === 0 && last !== undefined && statusOf(last) === 'approved';
  });
  return found && merchant && { ...found, login: merchant.login as MerchantLogin };
};

/** Only orders' rows: related lists have other columns. */
const ROWS_OF_ORDERS = /^order_status_g\d+$/;

const withRows = async (
  { disk }: World,
  change: (db: MemoryDatabase['writes'], table: RawBuilder<unknown>) => Promise<void>,
): Promise<void> => {
  const database = disk.open();
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table' and name like ${'order_status%'}`.execute(database.reads); // prettier-ignore
  for (const { name } of tables.rows) if (ROWS_OF_ORDERS.test(name)) await change(database.writes, sql.table(name));
  await database.close();
};

/** Another approval code is written into the log. While the read models lack the order's row, no request may return that code. */
const editEvent = async (world: World, report: Report): Promise<void> => {
  const sale = approvedSaleOf(world);
  if (sale?.order === undefined) return;
  const stream = paymentStream(sale.login, sale.clientOrderId as Parameters<typeof paymentStream>[1]);
  const approved = (await eventsOf(world)).find((event) => event.stream === stream && event.data.includes(APPROVAL_CODE));
  if (approved === undefined) return;
  world.log.edit(approved.id, approved.data.replace(APPROVAL_CODE, FORGED_CODE));
  await withRows(world, async (db, table) => {
    await sql`delete from ${table} where order_id = ${sale.order?.orderId ?? ''}`.execute(db);
  });
  const told = await answerIn(world, clientOf(world).status(sale.order));
  if (JSON.stringify(told).includes(FORGED_CODE)) report('an event that was edited is not told', sale.clientOrderId, told);
};

/** A page of the read models' disk is corrupted. Their answers about an order must not change. */
const editRow = async (world: World, report: Report): Promise<void> => {
  const sale = approvedSaleOf(world);
  if (sale?.order === undefined) return;
  const model = readModelOver(world, world.disk);
  const find = async (): Promise<string> => {
    const record = await model.orders.byOrderId(sale.login, sale.order?.orderId as OrderId);
    return JSON.stringify(record?.view);
  };
  const before = await find();
  await withRows(world, async (db, table) => {
    await sql`update ${table} set view = replace(view, ${APPROVAL_CODE}, ${FORGED_CODE}) where order_id = ${sale.order?.orderId ?? ''}`.execute(
      db,
    );
  });
  const after = await find();
  if (after !== before) report('a row that was edited is not told', sale.clientOrderId, after);
  await model.close();
};

/** A batch is stored completely or not at all. */
const isEndOfBatch = ({ stream, createdMs }: StoredEvent, next: StoredEvent | undefined): boolean =>
  stream !== next?.stream || createdMs !== next.createdMs;

/** The log loses its end, and processes start on read models ahead of it. New orders must work, and lost ones must not be reported. */
const loseEnd = async (world: World, report: Report): Promise<void> => {
  const events = await eventsOf(world);
  let left = Math.floor(events.length * LEFT_SHARE);
  while (left < events.length && !isEndOfBatch(events[left - 1] as StoredEvent, events[left])) left++;
  world.instances.end();
  await world.log.cutTo(events.slice(0, left));
  await world.time.advance(RESTARTED_WITHIN_MS);
  // The lost end may contain the releases of holds.
  void world.onCall.releaseAll();
  await world.time.advance(RELEASED_WITHIN_MS);
  const client = clientOf(world);
  const order = { client_orderid: 'behind-the-loss', cvv2: SECURITY_CODE, amount: '1.00' };
  const accepted = await answerIn(world, client.sale({ ...order, redirect_url: 'https://shop-0.example/back' }));
  const orderId = accepted === 'lost' ? undefined : accepted['paynet-order-id'];
  let told = accepted;
  for (let polls = 0; polls < POLLS && orderId !== undefined; polls++)
    told = await answerIn(world, client.status({ clientOrderId: order.client_orderid, orderId }));
  const isOver = told !== 'lost' && (['approved', 'declined'].includes(told['status'] ?? '') || told['order-stage'] === WAITS_FOR_PAYER);
  if (!isOver) report('an order behind a loss becomes final', order.client_orderid, told);
  const disk = await MemoryDisk.create();
  const [anew, live] = [readModelOver(world, disk), readModelOver(world, world.disk)];
  await anew.build();
  const [folded, served] = [await anew.contents(), await live.contents()];
  for (const { projection, rows } of served)
    if (rows !== folded.find((one) => one.projection === projection)?.rows) report('a read model is not ahead of its log', projection, `${rows} rows`);
  await Promise.all([anew.close(), live.close()]);
  disk.remove();
}; // prettier-ignore

const HAPPENINGS: Readonly<Record<Aftermath, (world: World, report: Report) => Promise<void>>> = {
  'edited-event': editEvent,
  'edited-row': editRow,
  'lost-end': loseEnd,
};

/** The damage after this run, if any. No other check is possible after it. */
export const checkAftermath = async (world: World, report: Report): Promise<void> => {
  if (world.aftermath !== undefined) await HAPPENINGS[world.aftermath](world, report);
};
