# The orchestrator. The image also contains `orch` (node dist/apps/cli/src/main.js) and the merchant server (node dist/apps/merchant-server/src/main.js).
# It runs as an ordinary user on a read-only root file system and writes only below DATA_DIR. Environment variables select the stores (docs/run.md).
#
#   docker build --build-arg REVISION="$(git rev-parse HEAD)" --tag payment-orchestrator .

FROM node:24.21.0-bookworm-slim AS base

FROM base AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# No package needs its install script, because the packages contain their binaries.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json ./
COPY apps apps
COPY libs libs
COPY scripts/build scripts/build
COPY docs/openapi docs/openapi
ARG REVISION=unknown
RUN REVISION="$REVISION" npm run build

FROM base AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && node --eval 'require("@photostructure/sqlite")'
# Merchants and published keys of the sandbox, used if no other configuration is set. They protect nothing.
COPY config/sandbox.yaml config/merchant-server.yaml config/acme.pub.pem config/
COPY deploy/healthy.sh deploy/
# A checkout that only its owner can read must not become an image that the user `node` cannot read.
RUN chmod --recursive a+rX,go-w /app

FROM base
# A running container needs no package manager.
RUN rm --recursive --force /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
    /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-*
WORKDIR /app
COPY --from=packages /app ./
COPY --from=build /build/dist dist
# A new volume takes the owner and mode of these folders.
RUN install --directory --owner=node --group=node --mode=0700 /data /keys
ARG REVISION=unknown
LABEL org.opencontainers.image.title="payment-orchestrator" \
      org.opencontainers.image.description="Payment orchestration between merchants and gates, every fact an event" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.base.name="docker.io/library/node:24.21.0-bookworm-slim"
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
# Merchants and payers; health and metrics, for the people who run the service.
EXPOSE 8080 8082
USER node
STOPSIGNAL SIGTERM
# Asks the operator port, which both roles have.
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s --retries=3 CMD ["bash", "/app/deploy/healthy.sh"]
CMD ["node", "--disable-sigusr1", "dist/apps/orchestrator/src/main.js"]
