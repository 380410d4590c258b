import type { Moment } from '@app/investigation';
import { CommandFailed, EXIT } from '../command-failed';
import { momentOf, type MomentOptions } from './moment-option';
import { asOfAsData, renderAsOf } from './render-as-of';
import { storyAsOf } from './story-as-of';
import { portInstead, type PlaceOptions } from './port-orders';
import { showAtPort } from './show-at-port';
import { withOrders, type OrderVerb } from './named-orders';
import { namedOrders, type NameOptions } from './one-order';
import { orderStory } from './order-story';
import { endOf, renderStory, renderUpstreamOrder, storyAsData, upstreamOrderAsData } from './render-story';
import { asJson, listing, type Output } from '../terminal/output';
import { UpstreamOrders } from './upstream-orders';

export interface ShowOptions extends MomentOptions, NameOptions, PlaceOptions {
  /** Where an upstream gateway of the family keeps its orders. */
  readonly followUpstream?: string;
}

/**
 * `orch show <order>`: the story of an order; reads beside a running service.
 * @throws CommandFailed for an unknown order, and, once the sound part is shown, for a broken stream
 */
export const show = async (name: string, options: ShowOptions, terminal: Output): Promise<void> => {
  const { merchant, followUpstream } = options;
  const moment = momentOf(options);
  const port = portInstead(options);
  if (port !== undefined) {
    if (followUpstream !== undefined) throw new CommandFailed('--follow-upstream reads the stores: add --offline', EXIT.usage);
    return listing(terminal, (output) => showAtPort(port, name, options, output));
  }
  if (moment !== undefined) {
    if (followUpstream !== undefined) throw new CommandFailed('--follow-upstream shows the present alone', EXIT.usage);
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

/** @returns where streams are broken */
const showStories = async (
  verb: OrderVerb,
  { name, options, upstream }: NamedShow & { readonly upstream: UpstreamOrders | undefined },
  output: Output,
): Promise<readonly string[]> => {
  const damaged: string[] = [];
  for (const [index, stream] of (await namedOrders(verb, name, options, output)).entries()) {
    const story = await orderStory(verb.readers, stream);
    const there = (await upstream?.of(story)) ?? [];
    if (output.isJson)
      output.line(asJson({ ...storyAsData(story), ...(upstream !== undefined && { upstream: there.map(upstreamOrderAsData) }) }));
    else {
      const lines = [
        ...renderStory(story, output.paint),
        ...there.flatMap((one) => ['', ...renderUpstreamOrder(one, story, output.paint)]),
      ];
      for (const line of [...(index === 0 ? [] : ['']), ...lines]) output.line(line);
    }
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
    if (output.isJson) output.line(asJson(asOfAsData(asOf)));
    else for (const line of [...(index === 0 ? [] : ['']), ...renderAsOf(asOf, output.paint)]) output.line(line);
  }
};
