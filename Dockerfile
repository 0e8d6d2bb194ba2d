# JupyterLab with everything that make setup installs, on the CPU. docs/containers.md says how to use and share it.
#   docker build -t swlab . && docker run --rm -p 127.0.0.1:8888:8888 swlab
FROM golang:1.26.5-bookworm
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends gcc git libc6-dev make python3 python3-venv && rm -rf /var/lib/apt/lists/*
# Binder and JupyterHub start the image as user 1000 too.
# Named volumes take their owner from the folders that are there.
RUN useradd --create-home --uid 1000 swlab && install -d -o swlab -g swlab /home/swlab/lab /home/swlab/lab/runs /home/swlab/work
USER 1000:1000
WORKDIR /home/swlab/lab
ENV HOME=/home/swlab GOPATH=/home/swlab/go GOTOOLCHAIN=local PATH=/home/swlab/lab/.bin:/home/swlab/lab/.venv/bin:$PATH
ENV JUPYTER_PATH=/home/swlab/lab/.jupyter JUPYTER_CONFIG_PATH=/home/swlab/lab/.jupyter/config SWLAB_OUT=/home/swlab/lab/runs
COPY --chown=1000:1000 . .
RUN make setup build && jupyter trust notebooks/*.ipynb && rm -rf /home/swlab/.cache/pip
EXPOSE 8888
# 0.0.0.0 is inside of the container: publish the port on 127.0.0.1 as above, and log in with the token that is printed.
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser"]
