declare const brand: unique symbol;

/** A primitive with a name, so that the compiler does not mix it with others; created by the function that validates it, or by a cast at a trusted border. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
