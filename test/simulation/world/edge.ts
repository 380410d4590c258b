import { RequestMethod, type ArgumentsHost, type CanActivate, type ExceptionFilter, type PipeTransform, type Type } from '@nestjs/common';
import { HttpReply, sendAnswer, writerOf } from '@app/http/server';
import type { PlainParts } from './plain-parts';
import { AnswerWriter, ArrivedRequest, type WireAnswer, type WireRequest } from './wire';

type EdgeParts = Pick<PlainParts, 'controllers' | 'get'>;

const NEST = {
  path: 'path',
  method: 'method',
  guards: '__guards__',
  pipes: '__pipes__',
  filters: '__exceptionFilters__',
  caught: '__filterCatchExceptions__',
  parameters: '__routeArguments__',
} as const;
const REQUEST_PARAMETER = 0;
const PATH_PARAMETER = 5;

interface RouteParameter {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly (Type<PipeTransform> | PipeTransform)[];
  readonly factory?: (data: unknown, context: ArgumentsHost) => unknown;
}

interface Parameter {
  readonly index: number;
  readonly value: (request: ArrivedRequest, context: ArgumentsHost) => unknown;
  readonly pipes: readonly PipeTransform[];
}

interface Route {
  readonly method: RequestMethod;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly handler: (...given: unknown[]) => unknown;
  readonly controller: Type;
  readonly instance: object;
  readonly guards: readonly CanActivate[];
  readonly filters: readonly ExceptionFilter[];
  readonly parameters: readonly Parameter[];
}

const recorded = <Value>(key: string, ...places: readonly object[]): readonly Value[] =>
  places.flatMap((place) => (Reflect.getMetadata(key, place) as readonly Value[] | undefined) ?? []);

const patternOf = (path: string): { readonly pattern: RegExp; readonly names: readonly string[] } => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const text = path.replace(/\{\/\}/g, '/?').replace(/:\w+/g, '([^/]+)');
  return { pattern: new RegExp(`^/${text}$`), names };
};

const joined = (...parts: readonly string[]): string => parts.map((part) => part.replace(/^\/|\/$/g, '')).filter((part) => part !== '').join('/'); // prettier-ignore

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : [value as string]);

/** One process's public port without sockets: guards, pipes, controllers and filters in Nest's order, from the process's own parts. */
export class Edge {
  private constructor(private readonly routes: readonly Route[]) {}

  static async over(parts: EdgeParts, prefix: string): Promise<Edge> {
    const routes: Route[] = [];
    for (const controller of parts.controllers) routes.push(...(await routesOf(parts, controller, prefix)));
    return new Edge(routes);
  }

  /** Never settles if the process ends first. */
  request(wire: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve) => {
      const found = this.#find(wire);
      const answer = new AnswerWriter(resolve);
      if (found === undefined) return void answer.writeHead(404, {}).end('Not Found\n');
      void serve(found.route, new ArrivedRequest(wire, found.params), answer);
    });
  }

  #find({ method, path }: WireRequest): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
    const [asked = ''] = path.split('?', 1);
    for (const route of this.routes) {
      if (route.method !== RequestMethod.ALL && RequestMethod[route.method] !== method) continue;
      const match = route.pattern.exec(asked);
      if (match !== null)
        return { route, params: Object.fromEntries(route.names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')])) };
    }
    return undefined;
  }
}

const made = async <Part extends object>(parts: EdgeParts, given: Type<Part> | Part): Promise<Part> =>
  typeof given === 'function' ? parts.get(given) : given;

const madeAll = async <Part extends object>(parts: EdgeParts, given: readonly (Type<Part> | Part)[]): Promise<readonly Part[]> => {
  const all: Part[] = [];
  for (const one of given) all.push(await made(parts, one));
  return all;
};

interface DeclaredRoute {
  readonly method: RequestMethod;
  readonly handler: Route['handler'];
  readonly guards: readonly Type<CanActivate>[];
  readonly filters: readonly Type<ExceptionFilter>[];
  readonly parameters: readonly (Omit<Parameter, 'pipes'> & { readonly pipes: NonNullable<RouteParameter['pipes']> })[];
  readonly paths: readonly ReturnType<typeof patternOf>[];
}

/** Read once for all processes of all runs. */
const declaredRoutes = new Map<string, WeakMap<Type, readonly DeclaredRoute[]>>();

const declaredRoutesOf = (controller: Type, prefix: string): readonly DeclaredRoute[] => {
  const known = declaredRoutes.get(prefix) ?? new WeakMap<Type, readonly DeclaredRoute[]>();
  declaredRoutes.set(prefix, known);
  const found = known.get(controller) ?? readRoutes(controller, prefix);
  known.set(controller, found);
  return found;
};

const readRoutes = (controller: Type, prefix: string): readonly DeclaredRoute[] => {
  const prototype = controller.prototype as Readonly<Record<string, unknown>>;
  const [base = ''] = texts(Reflect.getMetadata(NEST.path, controller) ?? '');
  return Object.getOwnPropertyNames(prototype).flatMap((name): readonly DeclaredRoute[] => {
    const handler = prototype[name];
    if (typeof handler !== 'function' || Reflect.getMetadata(NEST.path, handler) === undefined) return [];
    return [
      {
        method: Reflect.getMetadata(NEST.method, handler) as RequestMethod,
        handler: handler as Route['handler'],
        guards: recorded<Type<CanActivate>>(NEST.guards, controller, handler),
        filters: recorded<Type<ExceptionFilter>>(NEST.filters, handler, controller),
        parameters: declaredParameters(controller, name),
        paths: texts(Reflect.getMetadata(NEST.path, handler)).map((path) =>
          patternOf(joined(base.startsWith('health') ? '' : prefix, base, path)),
        ),
      },
    ];
  });
};

const declaredParameters = (controller: Type, name: string): DeclaredRoute['parameters'] => {
  const declared = (Reflect.getMetadata(NEST.parameters, controller, name) ?? {}) as Readonly<Record<string, RouteParameter>>;
  return Object.entries(declared).map(([key, { index, data, pipes = [], factory }]) => ({
    index,
    value: valueOf(Number(key.split(':')[0]), data, factory),
    pipes,
  }));
};

const routesOf = async (parts: EdgeParts, controller: Type, prefix: string): Promise<readonly Route[]> => {
  const instance = (await parts.get(controller)) as object;
  const routes: Route[] = [];
  for (const { method, handler, guards, filters, parameters, paths } of declaredRoutesOf(controller, prefix)) {
    const shared = {
      method,
      handler,
      controller,
      instance,
      guards: await madeAll(parts, guards),
      filters: await madeAll(parts, filters),
      parameters: await parametersOf(parts, parameters),
    };
    for (const path of paths) routes.push({ ...shared, ...path });
  }
  return routes;
};

const parametersOf = async (parts: EdgeParts, declared: DeclaredRoute['parameters']): Promise<readonly Parameter[]> => {
  const parameters: Parameter[] = [];
  for (const { index, value, pipes } of declared) parameters.push({ index, value, pipes: await madeAll(parts, pipes) });
  return parameters;
};

const valueOf = (kind: number, data: unknown, factory: RouteParameter['factory']): Parameter['value'] => {
  if (factory !== undefined) return (_request, context) => factory(data, context);
  if (kind === REQUEST_PARAMETER) return (request) => request;
  if (kind === PATH_PARAMETER) return ({ params }) => params[String(data)];
  throw new Error(`a parameter of kind ${kind} is not known to the simulated port`);
};

const serve = async (route: Route, request: ArrivedRequest, answer: AnswerWriter): Promise<void> => {
  const given = [request, answer];
  const context = {
    getArgs: () => given,
    getArgByIndex: (index: number) => given[index],
    getHandler: () => route.handler,
    getClass: () => route.controller,
    getType: () => 'http',
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => answer, getNext: () => undefined }),
  } as unknown as ArgumentsHost & Parameters<CanActivate['canActivate']>[0];
  try {
    for (const guard of route.guards) await guard.canActivate(context);
    const values: unknown[] = [];
    for (const { index, value, pipes } of route.parameters) {
      let piped = value(request, context);
      for (const pipe of pipes) piped = await pipe.transform(piped, { type: 'custom' });
      values[index] = piped;
    }
    write(answer, await route.handler.apply(route.instance, values));
  } catch (error) {
    const filter = route.filters.find((one) => catches(one, error));
    if (filter === undefined) answer.writeHead(500, {}).end(String(error));
    else filter.catch(error, context);
  }
};

const catches = (filter: ExceptionFilter, error: unknown): boolean => {
  const types = recorded<Type>(NEST.caught, filter.constructor);
  return types.length === 0 || types.some((type) => error instanceof type);
};

const write = (answer: AnswerWriter, value: unknown): void => {
  const response = answer as unknown as Parameters<typeof sendAnswer>[0];
  const writer = writerOf(response);
  if (writer !== undefined) writer(value);
  else if (value instanceof HttpReply) sendAnswer(response, value);
  else answer.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
};
