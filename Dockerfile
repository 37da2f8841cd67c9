# gazette as an image: built from a clone, run as a user without rights. docs/deploy.md says how it is started.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY test/package/carry.ts ./test/package/
COPY README.md CHANGELOG.md LICENSE ./
RUN npm run build && npm pack --ignore-scripts
# pg is for PostgreSQL, nodemailer for sign-in links by e-mail, hyparquet-writer for Parquet.
WORKDIR /app
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund /build/gazette-*.tgz pg@8 nodemailer@10 hyparquet-writer@0.17

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    GAZETTE_HOST=0.0.0.0 \
    GAZETTE_PORT=8080 \
    GAZETTE_STORE=sqlite:/data/gazette.db
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data
USER node
# gazette.json and the files of init are looked for here.
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GAZETTE_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/node_modules/gazette/dist/cli/gazette.js"]
CMD ["serve"]
