# Serves the embedded engine: npm pack && docker build --tag sendctl .
# Only /data is written to, so the container also runs with `docker run --read-only`.
FROM node:24-slim
COPY sendctl-*.tgz /tmp/sendctl.tgz
RUN npm install --global --ignore-scripts /tmp/sendctl.tgz \
    && npm cache clean --force \
    && rm /tmp/sendctl.tgz \
    && install --directory --owner=node --group=node --mode=0700 /data
USER node
ENV SENDCTL_DATABASE=/data/sendctl.db XDG_CONFIG_HOME=/data/config XDG_STATE_HOME=/data/state
VOLUME /data
EXPOSE 4010
# Requests /healthz where the command of the container listens: --port and --tls-cert are read from it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["node", "--eval", "const words = fs.readFileSync('/proc/1/cmdline', 'utf8'); const port = /.*\\0--port[=\\0](\\d+)/s.exec(words)?.[1] ?? 4010; const { get } = /\\0--tls-cert[=\\0]/.test(words) ? https : http; get({ host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["sendctl"]
CMD ["serve", "--host", "0.0.0.0"]
