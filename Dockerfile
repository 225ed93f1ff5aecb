# The command of Mailyard as its package has it, and what it needs at run time.
FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY scripts scripts
COPY README.md ./
COPY docs docs
COPY web web
RUN npm run build:web && npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-trixie-slim
LABEL org.opencontainers.image.source="https://github.com/mailyard/mailyard" \
    org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    MALLOC_MMAP_THRESHOLD_=1048576 \
    MAILYARD_HOST=0.0.0.0 \
    MAILYARD_SMTP_HOST=0.0.0.0 \
    MAILYARD_DATABASE_URL=sqlite:/var/lib/mailyard/mailyard.db
WORKDIR /var/lib/mailyard
RUN chown node:node /var/lib/mailyard && chmod 700 /var/lib/mailyard
COPY --from=build /build/package.json /opt/mailyard/
COPY --from=build /build/node_modules /opt/mailyard/node_modules
COPY --from=build /build/dist /opt/mailyard/dist
COPY --from=build /build/web/dist /opt/mailyard/web/dist
COPY docs/openapi.json /opt/mailyard/docs/
RUN ln -s /opt/mailyard/dist/main.js /usr/local/bin/mailyard && chmod 755 /opt/mailyard/dist/main.js
USER node
VOLUME /var/lib/mailyard
EXPOSE 8080 2525
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MAILYARD_PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The options and the variable of the command's first line; Node itself is the first process, so that signals reach it.
ENTRYPOINT ["node", "--max-semi-space-size=16", "/opt/mailyard/dist/main.js"]
CMD ["serve"]
