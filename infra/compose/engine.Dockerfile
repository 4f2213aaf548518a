# The local training engine: models, checkpoints and compiled functions are in /data.
FROM python:3.12-slim-bookworm
WORKDIR /engine
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt && mkdir /data && chown nobody /data
COPY wideseek_engine ./wideseek_engine
USER nobody
CMD ["python", "-m", "wideseek_engine", "serve", "--host", "0.0.0.0", "--port", "8777", "--models", "/data/models", "--checkpoints", "/data/checkpoints", "--cache", "/data/cache"]
