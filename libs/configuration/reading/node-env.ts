import type { EnvironmentVariables } from './environment-text';

export const isProduction = (environment: EnvironmentVariables): boolean => environment['NODE_ENV'] === 'production';
