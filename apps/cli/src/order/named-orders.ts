import type { MerchantLogin } from '@app/kernel';
import { loadConfiguration, type OrchestratorEnvironment, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { openOrderReaders, type OrderReaders } from './order-readers';

/** What a verb that reads orders works with. */
export interface OrderVerb {
  readonly environment: OrchestratorEnvironment;
  readonly readers: OrderReaders;
  /** Whose orders are meant: those of the merchant named, else of all that the configuration has. */
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
