import type { Command } from 'commander';
import {
  type Moment,
  momentAsJson,
  type OrderState,
  type ShownOrder,
  type StateAsOf,
  type TrailPage,
  datedEvents,
  orderState,
  viewAfter,
  type DatedEvent,
} from '@app/investigation';
import type { OrderSummary } from '@app/read-models/queries';
import { metadataOf } from '@app/event-store';
import { logEventOf, type OrderEvent } from '@app/read-models';
import { CommandFailed, EXIT, listing, type Output, type Paint, printable, writeResult, type CommandContext, OFFLINE } from '../terminal';
import { momentOf, type MomentOptions, momentQuestion, momentText, eventLine, countedAt, addMomentOptions } from '../orders/moments';
import { portInstead, type PlaceOptions, ordersAtPort, namedOrders, type NameOptions, orderCommand } from '../orders/order-name';
import { withOrders, type OrderVerb } from '../stores';
import { orderStory, type OrderStory, erasureLines } from '../orders/story';
import { endOf, renderStory, renderUpstreamOrder, storyAsData, upstreamOrderAsData } from '../orders/render-story';
import { UpstreamOrders } from '../orders/upstream';
import { trailLines } from './audit';
import type { OperatorPort } from '../operator-port';

/** The order's events that count at a moment, and the events of references and deliveries recorded until then. */
interface StoryAsOf {
  readonly moment: Moment;
  readonly story: OrderStory;
  readonly state: OrderState;
  readonly events: number;
  /** Number of events that the order has at present. */
  readonly eventsNow: number;
}

const ownEvents = ({ stream, events, breaks }: OrderStory): readonly DatedEvent[] => {
  const broken = breaks.find(({ event }) => event.stream === stream);
  if (broken !== undefined) throw new CommandFailed(`the past of the order cannot be determined: ${endOf(broken)}`);
  const own = events.filter(({ stored }) => stored.stream === stream);
  return datedEvents(
    own.map((one) => {
      if (!one.isReadable)
        throw new CommandFailed(`the past of the order cannot be determined: this release cannot read an event: ${one.problem}`);
      return logEventOf(one.stored, one.event as OrderEvent);
    }),
  );
};

/** @throws CommandFailed if the order did not exist yet, has no such version, or its past cannot be determined */
const storyAsOf = (story: OrderStory, moment: Moment): StoryAsOf => {
  const own = ownEvents(story);
  const counted = countedAt(own, moment);
  const view = viewAfter(counted);
  const last = counted.at(-1);
  if (view === undefined || last === undefined) throw new CommandFailed('the order has no events');
  const ids = new Set<string>(counted.map(({ logEvent }) => logEvent.id));
  const until = moment.kind === 'version' ? last.knownAt : moment.at;
  const events = story.events.filter(({ stored }) =>
    stored.stream === story.stream ? ids.has(stored.id) : metadataOf(stored).recordedAt <= until,
  );
  return { moment, story: { ...story, view, events }, state: orderState(view), events: counted.length, eventsNow: own.length };
};

/** Events of operators' queries and actions, shown by `orch audit`. */
const OPERATOR_CATEGORY = 'operator';

const headLines = (order: OrderSummary, { paint }: Output): readonly string[] => [
  `order ${paint('strong', order.orderId)}, merchant ${order.merchant}, client_orderid ${printable(order.clientOrderId)}`,
  `${order.amount} ${order.currency}, ${order.status} (${order.stage}), at ${order.gate ?? '-'}`,
];

const showAtPort = async (port: OperatorPort, name: string, options: NameOptions & MomentOptions, output: Output): Promise<void> => {
  const moment = momentOf(options);
  for (const [index, { orderId }] of (await ordersAtPort(port, name, options, output)).entries()) {
    if (index > 0 && !output.isJson) output.line('');
    if (moment === undefined) {
      await showNow(port, orderId, output);
      continue;
    }
    const answer = await port.read<StateAsOf>(`/audit/orders/${orderId}/state`, momentQuestion(options));
    const { state, events, eventsNow } = answer;
    writeResult(output, answer, () => [
      ...headLines(state, output),
      `${momentText(moment)}: ${events.length} of its ${eventsNow} events`,
      '',
      ...events.map((event) => eventLine(event, output.paint)),
    ]);
  }
};

const showNow = async (port: OperatorPort, orderId: string, output: Output): Promise<void> => {
  const order = await port.read<ShownOrder>(`/orders/${orderId}`);
  const { trail } = await port.read<TrailPage>(`/audit/orders/${orderId}`, { by: 'orderid' });
  const own = trail.filter(({ category }) => category !== OPERATOR_CATEGORY);
  const events = own.map(({ number: _number, category: _category, eventId, causedBy: _causedBy, merchant: _merchant, ...entry }) => ({
    ...entry,
    id: eventId,
  }));
  writeResult(output, { ...order, events }, () => [
    ...headLines(order, output),
    ...erasureLines(order.erasure),
    '',
    ...own.flatMap((entry) => trailLines(entry, output)),
  ]);
};

const renderAsOf = ({ moment, story, events, eventsNow }: StoryAsOf, paint: Paint): readonly string[] => {
  const [order = '', state = '', ...timeline] = renderStory(story, paint);
  return [order, state, `${momentText(moment)}: ${events} of its ${eventsNow} events`, ...timeline];
};

const asOfAsData = ({ moment, story, state, events, eventsNow }: StoryAsOf): object => ({
  ...storyAsData(story),
  asOf: { ...momentAsJson(moment), events, eventsNow },
  state,
});

interface ShowOptions extends MomentOptions, NameOptions, PlaceOptions {
  /** Installation of an upstream gateway with this same software. */
  readonly followUpstream?: string;
}

/**
 * `orch show <order>`: the story of an order.
 * @throws CommandFailed for an unknown order, and for a broken stream after the intact part is shown
 */
export const show = async (name: string, options: ShowOptions, terminal: Output): Promise<void> => {
  const { merchant, followUpstream } = options;
  const moment = momentOf(options);
  const port = portInstead(options);
  if (port !== undefined) {
    if (followUpstream !== undefined) throw new CommandFailed('--follow-upstream needs the stores. Add --offline', EXIT.usage);
    return listing(terminal, (output) => showAtPort(port, name, options, output));
  }
  if (moment !== undefined) {
    if (followUpstream !== undefined) throw new CommandFailed('--follow-upstream shows only the present', EXIT.usage);
    return listing(terminal, (output) => withOrders(merchant, (verb) => showAsOf(verb, { name, options, moment }, output)));
  }
  const damaged: string[] = [];
  await listing(terminal, (output) =>
    withOrders(merchant, async (verb) => {
      const upstream =
        followUpstream === undefined ? undefined : await UpstreamOrders.open(followUpstream, verb.environment.configurationPath);
      try {
        damaged.push(...(await showStories(verb, { name, options, upstream }, output)));
      } finally {
        await upstream?.close();
      }
    }),
  );
  if (damaged.length > 0) throw new CommandFailed(damaged.join('; '));
};

interface NamedShow {
  readonly name: string;
  readonly options: NameOptions;
}

const showStories = async (
  verb: OrderVerb,
  { name, options, upstream }: NamedShow & { readonly upstream: UpstreamOrders | undefined },
  output: Output,
): Promise<readonly string[]> => {
  const damaged: string[] = [];
  for (const [index, stream] of (await namedOrders(verb, name, options, output)).entries()) {
    const story = await orderStory(verb.readers, stream);
    const there = (await upstream?.of(story)) ?? [];
    writeResult(output, { ...storyAsData(story), ...(upstream !== undefined && { upstream: there.map(upstreamOrderAsData) }) }, () => [
      ...(index === 0 ? [] : ['']),
      ...renderStory(story, output.paint),
      ...there.flatMap((one) => ['', ...renderUpstreamOrder(one, story, output.paint)]),
    ]);
    damaged.push(...[story, ...there.flatMap((one) => one.story ?? [])].flatMap(({ breaks }) => breaks.map(endOf)));
  }
  return damaged;
};

const showAsOf = async (
  verb: OrderVerb,
  { name, options, moment }: NamedShow & { readonly moment: Moment },
  output: Output,
): Promise<void> => {
  for (const [index, stream] of (await namedOrders(verb, name, options, output)).entries()) {
    const asOf = storyAsOf(await orderStory(verb.readers, stream), moment);
    writeResult(output, asOfAsData(asOf), () => [...(index === 0 ? [] : ['']), ...renderAsOf(asOf, output.paint)]);
  }
};

export const addShowCommand = (program: Command, { output }: CommandContext): void => {
  addMomentOptions(orderCommand(program, 'show'))
    .description('show the timeline of an order, now or at a moment: its events, card references and callbacks')
    .option(
      '--follow-upstream <place>',
      'also show its attempts at an upstream gateway: the DATA_DIR there, or a file with its environment',
    )
    .option(...OFFLINE)
    .action((name: string, options: ShowOptions) => show(name, options, output()));
};
