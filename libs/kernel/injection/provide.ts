import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import type { Injectable, Injected } from './token';

type Parts = Readonly<Record<string, Injectable<unknown>>>;

/** What the named parts are when Nest has made them. */
export type Ports<Named extends Parts> = { readonly [Name in keyof Named]: Injected<Named[Name]> };

/**
 * A provider whose parts are named and typed: what is injected goes to `make` under the names of `parts`, so that a class that takes its ports as one
 * object is given them as they are, and a part of another type does not compile.
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
