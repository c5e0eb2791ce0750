# svc-mcp http for a team: docker build -t svc-mcp . && docker run -p 8080:8080 -e SVC_HTTP_TOKEN=… -v svc-mcp:/data svc-mcp
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY build.ts tsconfig.json ./
COPY packaging/licenses packaging/licenses
COPY src src
RUN npm run build

FROM node:20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:20-bookworm-slim AS plain
ENV NODE_ENV=production SVC_DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/main.js"]
# Refuses to start for the whole network unless SVC_HTTP_TOKEN is set or every client brings a key of its own.
CMD ["http", "--host", "0.0.0.0"]

# docker build --target browser: also reads pages that show nothing without their scripts.
FROM plain AS browser
USER root
RUN apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/node_modules/playwright-core node_modules/playwright-core
USER node

# Without a target: no browser.
FROM plain
