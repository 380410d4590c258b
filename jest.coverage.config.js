const [unit] = require('./jest.config.js').projects;

/** Branch coverage of the deciders (safety, B20) by their own tests only, because model tests would hide gaps. */
module.exports = {
  projects: [
    {
      ...unit,
      testMatch: ['<rootDir>/libs/**/domain/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.model\\.spec\\.ts$'],
    },
  ],
  collectCoverage: true,
  collectCoverageFrom: ['libs/**/domain/**/*.ts', '!**/*.spec.ts'],
  coverageReporters: ['text-summary'],
  coverageThreshold: { global: { branches: 95 } },
};
