declare const value: unique symbol;

/** Names an injected interface, function or value, with its type. */
export type Token<Value> = symbol & { readonly [value]: Value };

export const token = <Value>(name: string): Token<Value> => Symbol(name) as Token<Value>;

/** A class names its own instance, whether or not others may construct it. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- what Nest takes as a name: a class, also one with a private constructor
interface InstanceOf<Value> extends Function {
  readonly prototype: Value;
}

export type Injectable<Value> = Token<Value> | InstanceOf<Value>;

export type Injected<Name> = Name extends Token<infer Value> ? Value : Name extends InstanceOf<infer Value> ? Value : never;
