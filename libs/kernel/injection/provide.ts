import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import type { Injectable, Injected } from './token';

type Parts = Readonly<Record<string, Injectable<unknown>>>;

export type Ports<Named extends Parts> = { readonly [Name in keyof Named]: Injected<Named[Name]> };

/**
 * A typed provider: `make` receives the injected parts under their names, and a part of the wrong type does not
 * compile.
 */
export const provide = <Value, Named extends Parts>(
  what: Injectable<Value>,
  parts: Named,
  make: (ports: Ports<Named>) => NoInfer<Value> | Promise<NoInfer<Value>>,
): FactoryProvider => {
  const names = Object.keys(parts);
  return {
    provide: what as InjectionToken,
    inject: Object.values(parts) as InjectionToken[],
    useFactory: (...values: readonly unknown[]) => make(Object.fromEntries(names.map((name, at) => [name, values[at]])) as Ports<Named>),
  };
};
