import type { MerchantLogin } from '@app/kernel';
import { loadConfiguration, type OrchestratorEnvironment, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { openOrderReaders, type OrderReaders } from './order-readers';

/** The stores and merchants of a verb that reads orders. */
export interface OrderVerb {
  readonly environment: OrchestratorEnvironment;
  readonly readers: OrderReaders;
  /** The merchants whose orders are meant: the one named, else all of the configuration. */
  readonly merchants: readonly MerchantLogin[];
}

/** Opens the stores for reading, beside a service that runs or without one. @throws CommandFailed */
export const withOrders = async <Result>(merchant: string | undefined, run: (verb: OrderVerb) => Promise<Result>): Promise<Result> => {
  const environment = readEnvironment(process.env, packageRoot());
  const merchants =
    merchant === undefined
      ? loadConfiguration(environment.configurationPath, process.env, GATE_ADAPTERS).accounts.merchants.map(({ login }) => login)
      : [merchant as MerchantLogin];
  const readers = await openOrderReaders(environment);
  try {
    return await run({ environment, readers, merchants });
  } finally {
    await readers.close();
  }
};
