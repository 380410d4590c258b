import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Injectable } from '@app/injection';

export type Bridged = readonly (readonly [part: Injectable<unknown>, value: unknown])[];

/** Provides to the modules of operators, payers and receipts what the service still makes by hand. */
@Global()
@Module({})
export class BridgeOModule {
  static over(parts: Bridged, imports: DynamicModule['imports'] = []): DynamicModule {
    const providers = parts.map(([provide, useValue]) => ({ provide, useValue }));
    return { module: BridgeOModule, imports, providers, exports: providers.map(({ provide }) => provide) };
  }
}
