export * from './authorization-header';
export * from './base-string';
export * from './oauth-encoding';
export * from './rsa-signature';
