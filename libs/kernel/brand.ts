declare const brand: unique symbol;

/** A primitive that its name tells apart from others of the same shape; made by the function that checks it, or by a cast at a trusted border. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
