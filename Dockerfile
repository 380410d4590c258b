# The orchestrator, and beside it `orch` (node dist/apps/cli/src/main.js) and the merchant server (node dist/apps/merchant-server/src/main.js). Runs as an ordinary user on a read-only root file system: it writes
# below DATA_DIR alone. Which stores it uses is said by its environment; docs/operations.md has every setting.

FROM node:20.20.2-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY nest-cli.json tsconfig.json ./
COPY apps apps
COPY libs libs
COPY scripts/build.mjs scripts/
RUN npm run build

FROM node:20.20.2-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force
COPY --from=build /build/dist dist
# Public keys and merchants of the sandbox: they protect nothing, and are used where no other configuration is named.
COPY config/sandbox.yaml config/merchant-server.yaml config/acme.pub.pem config/
# A volume that is new takes over who may use these.
RUN install --directory --owner=node --group=node --mode=0700 /data /keys
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
# Merchants and payers; health and metrics, for the people who run the service.
EXPOSE 8080 8082
USER node
STOPSIGNAL SIGTERM
# On the operator's port, which both roles have.
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPERATOR_PORT || 8082}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/apps/orchestrator/src/main.js"]
