import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);
const [{ rootDir: _checkout, ...unit }] = require('./jest.config.js').projects;
const folders = process.argv
  .at(-1)
  .split(',')
  .map((file) => dirname(file));

// Every mutant runs these again, so they take fewer pairs than in a test run.
Object.assign(process.env, { SIGNED_PAIRS: '2000', OAUTH_MUTATIONS: '300' });

/** Mutation tests: `npm run test:mutants -- <files>`, with commas between them. */
export default {
  testRunner: 'jest',
  jest: {
    config: {
      ...unit,
      // Stryker resolves no `<rootDir>` here.
      testEnvironment: require.resolve('./test/support/run/node-environment.cjs'),
      // A test belongs at the lowest level: the specs beside a file have to notice what changes in it.
      testMatch: folders.map((folder) => `<rootDir>/${folder}/*.spec.ts`),
    },
    enableFindRelatedTests: false,
  },
  reporters: ['clear-text'],
  warnings: { slow: false },
  ignorePatterns: ['dist'],
  // Stryker would read it with a compiler that npx does not bring.
  tsconfigFile: 'none',
  tempDirName: 'coverage/stryker',
};
