# syntax=docker/dockerfile:1
# The gateway on Node 24: everything is built on the builder's own architecture, so images for others need no emulation:
#   docker buildx build --platform linux/amd64,linux/arm64 --tag handrail .

FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY web/explorer/package.json web/explorer/
COPY web/admin/package.json web/admin/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node -e "import('./scripts/prepare.js').then(({ build }) => build())"

# Runtime dependencies for the target architecture: npm downloads their binaries from the registry.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS modules
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/explorer/package.json web/explorer/
COPY web/admin/package.json web/admin/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --libc=glibc \
  --cpu="$(case "$TARGETARCH" in amd64) echo x64 ;; '') node -p process.arch ;; *) echo "$TARGETARCH" ;; esac)"

FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production \
  HANDRAIL_HOST=0.0.0.0 \
  HANDRAIL_PORT=8080 \
  HANDRAIL_DATA_DIR=/data
WORKDIR /app
COPY --from=modules /app ./
COPY --from=build /build/dist dist
COPY --from=build /build/web/explorer/dist web/explorer/dist
COPY LICENSE README.md ./
COPY bin/handrail /usr/local/bin/
COPY examples/bookshop examples/bookshop
RUN mkdir /data && chown 1000:1000 /data && sed -i 's|^main=.*|main=/app/dist/main.js|' /usr/local/bin/handrail
# The user "node" of the base image, by its number, so that Kubernetes can verify that this is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HANDRAIL_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve"]
