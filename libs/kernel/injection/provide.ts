import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import type { Injectable, Injected } from './token';

type Parts = Readonly<Record<string, Injectable<unknown>>>;

type Ports<Named extends Parts> = { readonly [Name in keyof Named]: Injected<Named[Name]> };

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

/** A missing or mistyped port does not compile. */
type Made<Given, Wanted> = Given extends Wanted ? FactoryProvider : { readonly lacks: Exclude<keyof Wanted, keyof Given> };

/** A class whose constructor takes its ports as one object. */
export const made = <Wanted, Named extends Parts>(Part: new (ports: Wanted) => object, parts: Named) =>
  provide(Part, parts, (given) => new Part(given as Wanted)) as Made<Ports<Named>, Wanted>;

/** A class whose constructor takes its ports one by one. */
export const built = <Given extends readonly unknown[]>(
  Part: new (...given: Given) => object,
  ...parts: { readonly [At in keyof Given]: Injectable<NoInfer<Given[At]>> }
): FactoryProvider => ({
  provide: Part,
  inject: parts as unknown as InjectionToken[],
  useFactory: (...given: Given) => new Part(...given),
});
