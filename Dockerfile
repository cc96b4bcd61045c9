# A container whose package is read-only and whose user has no home:
#
#   docker build -t ndcg-asymptotics .
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD:/work" ndcg-asymptotics run study.toml --out out
#
# Compiled kernels are then kept in /tmp for one run, which takes up to a minute to compile them. A volume keeps
# them for all runs: -v kernels:/kernels -e NUMBA_CACHE_DIR=/kernels
FROM python:3.12-slim
COPY . /source
RUN pip install --no-cache-dir "/source[data]" && rm -r /source
RUN mkdir /kernels && chown 65534:65534 /kernels
USER 65534:65534
ENV HOME=/nonexistent MPLCONFIGDIR=/tmp/matplotlib
WORKDIR /work
ENTRYPOINT ["ndcg-asymptotics"]
