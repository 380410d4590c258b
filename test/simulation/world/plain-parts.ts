import type {
  DynamicModule,
  FactoryProvider,
  ForwardReference,
  InjectionToken,
  ModuleMetadata,
  OptionalFactoryDependency,
  Provider,
  Type,
} from '@nestjs/common';
import { MODULE_METADATA, PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants';

type ModuleName = Type | DynamicModule | Promise<DynamicModule> | ForwardReference;
interface DeclaredPart {
  readonly index: number;
  readonly param: InjectionToken;
}

type Recipe =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'alias'; readonly of: InjectionToken }
  | { readonly kind: 'class'; readonly type: Type }
  | { readonly kind: 'factory'; readonly factory: FactoryProvider };

const nameOf = (token: InjectionToken | undefined): string => (typeof token === 'function' ? token.name : String(token));

const metadata = <Value>(key: string, type: Type): Value | undefined => Reflect.getMetadata(key, type) as Value | undefined;

/** Class metadata never changes, so it is read once for all processes of all runs. */
const oncePerClass = <Value>(look: (type: Type) => Value): ((type: Type) => Value) => {
  const known = new WeakMap<Type, { readonly value: Value }>();
  return (type) => {
    const found = known.get(type);
    if (found !== undefined) return found.value;
    const value = look(type);
    known.set(type, { value });
    return value;
  };
};

/** In the constructor's order. An optional part is required too. */
const partsOfClass = oncePerClass((type): readonly InjectionToken[] => {
  const types = [...(metadata<readonly InjectionToken[]>(PARAMTYPES_METADATA, type) ?? [])];
  for (const { index, param } of metadata<readonly DeclaredPart[]>(SELF_DECLARED_DEPS_METADATA, type) ?? []) types[index] = param;
  return types;
});

const declaredBy = oncePerClass((type) => ({
  imports: metadata<readonly ModuleName[]>(MODULE_METADATA.IMPORTS, type) ?? [],
  providers: metadata<readonly Provider[]>(MODULE_METADATA.PROVIDERS, type) ?? [],
  controllers: metadata<readonly Type[]>(MODULE_METADATA.CONTROLLERS, type) ?? [],
}));

const recipeOf = (provider: Exclude<Provider, Type>): Recipe => {
  if ('useValue' in provider) return { kind: 'value', value: provider.useValue as unknown };
  if ('useExisting' in provider) return { kind: 'alias', of: provider.useExisting as InjectionToken };
  if ('useClass' in provider) return { kind: 'class', type: provider.useClass };
  return { kind: 'factory', factory: provider };
};

class Recipes {
  readonly byToken = new Map<InjectionToken, Recipe>();
  readonly modules: Type[] = [];
  readonly controllers: Type[] = [];
  readonly #seen = new Set<unknown>();

  constructor(root: ModuleName) {
    this.#walk(root);
  }

  #walk(module: ModuleName): void {
    if (module instanceof Promise || 'forwardRef' in module) throw new Error('a module that is promised or referred to is not supported');
    const [type, dynamic]: readonly [Type, ModuleMetadata] = 'module' in module ? [module.module, module] : [module, {}];
    if (this.#seen.has(module)) return;
    this.#seen.add(module);
    const { imports, providers, controllers } = declaredBy(type);
    for (const imported of [...imports, ...(dynamic.imports ?? [])]) this.#walk(imported);
    for (const provider of [...providers, ...(dynamic.providers ?? [])]) this.#add(provider);
    for (const controller of [...controllers, ...(dynamic.controllers ?? [])])
      if (!this.controllers.includes(controller)) this.controllers.push(controller);
    if (!this.modules.includes(type)) this.modules.push(type);
  }

  #add(provider: Provider): void {
    if (typeof provider === 'function') this.byToken.set(provider, { kind: 'class', type: provider });
    else this.byToken.set(provider.provide, recipeOf(provider));
  }
}

const tokenOf = (part: InjectionToken | OptionalFactoryDependency): InjectionToken =>
  typeof part === 'object' && 'token' in part ? part.token : part;

const after = <Value>(value: unknown, goOn: (value: Value) => unknown): unknown =>
  value instanceof Promise ? value.then((found: unknown) => goOn(found as Value)) : goOn(value as Value);

export type GivenParts = ReadonlyMap<InjectionToken, unknown>;

/**
 * Builds the parts of an application from its Nest modules without Nest, a hundred times faster. Any part can be replaced. One part per
 * token, as in the service's modules.
 */
export class PlainParts {
  readonly #recipes: Recipes;
  readonly #given: GivenParts;
  readonly #made = new Map<InjectionToken, unknown>();

  constructor(root: DynamicModule, given: GivenParts) {
    this.#recipes = new Recipes(root);
    this.#given = given;
  }

  /** In the order of module imports, which is that of Nest's routes. */
  get controllers(): readonly Type[] {
    return this.#recipes.controllers;
  }

  get modules(): readonly Type[] {
    return this.#recipes.modules;
  }

  /**
   * @throws Error if no module provides it
   */
  async get<Value>(token: InjectionToken<Value>): Promise<Value> {
    return (await this.#make(token, [])) as Value;
  }

  /**
   * Like `get`, but synchronous.
   * @throws Error if a part of it is asynchronous
   */
  now<Value>(token: InjectionToken<Value>): Value {
    const made = this.#make(token, []);
    if (made instanceof Promise) throw new Error(`${nameOf(token)} has parts that have to be waited for`);
    return made as Value;
  }

  /**
   * @throws Error if the part does not exist yet
   */
  made<Value>(token: InjectionToken<Value>): Value {
    if (!this.#made.has(token)) throw new Error(`${nameOf(token)} was not made`);
    return this.#made.get(token) as Value;
  }

  #make(token: InjectionToken, path: readonly InjectionToken[]): unknown {
    if (this.#made.has(token)) return this.#made.get(token);
    if (this.#given.has(token)) return this.#kept(token, this.#given.get(token));
    if (path.includes(token)) throw new Error(`parts need each other: ${[...path, token].map(nameOf).join(' > ')}`);
    return after(this.#cook(token, [...path, token]), (value) => this.#kept(token, value));
  }

  #kept(token: InjectionToken, value: unknown): unknown {
    this.#made.set(token, value);
    return value;
  }

  #cook(token: InjectionToken, path: readonly InjectionToken[]): unknown {
    const recipe = this.#recipes.byToken.get(token) ?? this.#classRecipe(token, path);
    if (recipe.kind === 'value') return recipe.value;
    if (recipe.kind === 'alias') return this.#make(recipe.of, path);
    if (recipe.kind === 'class') return this.#construct(recipe.type, path);
    const { inject = [], useFactory } = recipe.factory;
    return after(this.#allOf(inject.map(tokenOf), path), (parts) => useFactory(...(parts as never[])) as unknown);
  }

  /** Guards, pipes, filters, controllers and modules are classes that no module lists as providers. */
  #classRecipe(token: InjectionToken, path: readonly InjectionToken[]): Recipe {
    if (typeof token !== 'function') throw new Error(`nobody provides ${path.map(nameOf).join(' > ')}`);
    return { kind: 'class', type: token as Type };
  }

  #construct(type: Type, path: readonly InjectionToken[]): unknown {
    return after(this.#allOf(partsOfClass(type), path), (parts) => new type(...(parts as never[])));
  }

  /** Sequential, so that a shared dependency is made once. */
  #allOf(tokens: readonly InjectionToken[], path: readonly InjectionToken[], made: readonly unknown[] = []): unknown {
    const parts = [...made];
    for (const token of tokens.slice(made.length)) {
      const part = this.#make(token, path);
      if (part instanceof Promise) return part.then((value: unknown) => this.#allOf(tokens, path, [...parts, value]));
      parts.push(part);
    }
    return parts;
  }
}
