import type { MerchantLogin } from '@app/kernel';
import { loadConfiguration, readEnvironment } from '@app/merchant-accounts';
import { packageRoot } from '../../orchestrator/src/composition/package-root';
import { CommandFailed } from './command-failed';
import { findOrder } from './order/find-order';
import { openOrderReaders } from './order/order-readers';
import { orderStory } from './order/order-story';
import { renderStory, storyAsData } from './order/render-story';
import { asJson, type Output } from './terminal/output';
import { shortened } from './terminal/printable';

const NAME_SHOWN_MAX = 128;

/** `orch show <order>`: how an order came to be what it is; reads beside a running service. @throws CommandFailed for an unknown order */
export const show = async (name: string, { merchant }: { readonly merchant?: string }, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const merchants =
    merchant === undefined
      ? loadConfiguration(environment.configurationPath, process.env).accounts.merchants.map(({ login }) => login)
      : [merchant as MerchantLogin];
  const readers = await openOrderReaders(environment);
  try {
    const streams = await findOrder(readers, name, merchants);
    if (streams.length === 0) {
      throw new CommandFailed(`no order "${shortened(name, NAME_SHOWN_MAX)}" of ${merchants.join(', ')} in ${environment.dataDir}`);
    }
    for (const [index, stream] of streams.entries()) {
      const story = await orderStory(readers, stream);
      if (output.isJson) output.line(asJson(storyAsData(story)));
      else for (const line of [...(index === 0 ? [] : ['']), ...renderStory(story, output.paint)]) output.line(line);
    }
  } finally {
    await readers.close();
  }
};
