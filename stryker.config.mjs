import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);
const [{ rootDir: _checkout, ...unit }] = require('./jest.config.js').projects;
const folders = process.argv
  .at(-1)
  .split(',')
  .map((file) => dirname(file));

// Every mutant runs these tests again, so they take fewer pairs.
Object.assign(process.env, { SIGNED_PAIRS: '2000', OAUTH_MUTATIONS: '300' });

/** Mutation tests: `npm run test:mutants -- <files>`, separated by commas. */
export default {
  testRunner: 'jest',
  jest: {
    config: {
      ...unit,
      // Stryker resolves no `<rootDir>` here.
      testEnvironment: require.resolve('./test/support/run/node-environment.cjs'),
      // The specs of a folder must detect changes in its files.
      testMatch: folders.map((folder) => `<rootDir>/${folder}/*.spec.ts`),
    },
    enableFindRelatedTests: false,
  },
  reporters: ['clear-text'],
  warnings: { slow: false },
  ignorePatterns: ['dist'],
  // Otherwise Stryker reads it with a compiler that npx does not install.
  tsconfigFile: 'none',
  tempDirName: 'coverage/stryker',
};
