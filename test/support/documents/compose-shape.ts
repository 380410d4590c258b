import { z } from 'zod';

/**
 * Only the parts of the compose specification that this project uses (https://github.com/compose-spec/compose-spec, 05-services.md), so
 * that misspelt or misplaced keys are refused.
 */
const NAME = /^[a-zA-Z0-9._-]+$/;
const duration = z.string().regex(/^(\d+(us|ms|s|m|h))+$/);
const bytes = z.string().regex(/^\d+[bkmg]b?$/);
const port = z.string().regex(/^(\d{1,3}(\.\d{1,3}){3}:)?\d{1,5}:\d{1,5}$/);
const argument = z.string().min(1);

const healthcheck = z.strictObject({
  test: z.tuple([z.enum(['CMD', 'CMD-SHELL']), argument], argument),
  interval: duration,
  timeout: duration,
  retries: z.int().min(1),
});

const dependency = z.strictObject({
  condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']),
  required: z.boolean().optional(),
});

const service = z.strictObject({
  image: z.string().min(1),
  build: z.string().optional(),
  profiles: z
    .array(z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/))
    .min(1)
    .optional(),
  entrypoint: z.array(argument).optional(),
  command: z.array(argument).optional(),
  user: z.string().optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string().startsWith('/')).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  ulimits: z.strictObject({ core: z.int().min(0) }).optional(),
  mem_limit: bytes.optional(),
  networks: z.array(z.string().regex(NAME)).min(1).optional(),
  network_mode: z.enum(['none', 'host']).optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
  stop_grace_period: duration.optional(),
  depends_on: z.record(z.string().regex(NAME), dependency).optional(),
  // The specification also allows numbers, but only text makes clear which value the process reads.
  environment: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()).optional(),
  ports: z.array(port).optional(),
  volumes: z.array(z.string().includes(':')).optional(),
  healthcheck: healthcheck.optional(),
});

const composeFile = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
    services: z.record(z.string().regex(NAME), service),
    networks: z.record(z.string().regex(NAME), z.strictObject({ internal: z.boolean() })).optional(),
    volumes: z.record(z.string().regex(NAME), z.null()),
  })
  .readonly();

export type ComposeFile = z.infer<typeof composeFile>;
export type ComposeService = z.infer<typeof service>;

/**
 * @throws Error that lists every fault with its path
 */
export const readShape = (document: unknown): ComposeFile => {
  if (typeof document !== 'object' || document === null) throw new Error('no mapping');
  const withoutExtensions = Object.fromEntries(Object.entries(document).filter(([key]) => !key.startsWith('x-')));
  const read = composeFile.safeParse(withoutExtensions);
  if (read.success) return read.data;
  throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
};
