# Commands of the project. Each one is a script of its own; this file only names them.
# PYTHON is the interpreter that the virtual environment is made from.
PYTHON ?= python3
BIN := .venv/bin
SCALE ?= lite
PORT ?= 8000
export SCALE PORT ONCE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long lint format serve bench bare lock wheel clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## virtual environment, browser code and static files; does nothing when all is there
	@$(PYTHON) -m scripts.setup

demo: setup ## the whole chain on this machine, then serves (SCALE=smoke: quick, ONCE=1: ends by itself, PORT=8000)
	@$(BIN)/python -m scripts.demo

test: setup ## all tests but the long ones, on a Redis and a PostgreSQL of their own
	@$(BIN)/python -m scripts.test

test-long: setup ## the tests that take long: every byte of a bundle, archives beyond 4 GiB, every page in every scheme
	@$(BIN)/python -m scripts.test --long

lint: setup ## ruff, mypy, import-linter, djlint, bandit
	@$(BIN)/python -m scripts.lint

format: setup ## lets ruff write the layout of all Python files
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

serve: setup ## the portal alone, on http://localhost:PORT
	@$(BIN)/python manage.py serve --port $(PORT)

bench: setup ## measures training, verification and parsing, prints a table
	@$(BIN)/python -m benchmarks.measure

bare: ## the demo at SCALE=smoke inside a bare Debian 12 made by debootstrap; needs root
	@$(PYTHON) -m scripts.bare

lock: setup ## writes requirements.lock and package-lock.json again
	@$(BIN)/python -m scripts.lock

wheel: setup ## builds dist/vflops-*.whl
	@$(BIN)/python -m build --wheel --no-isolation

clean: ## removes everything that the commands above made, the demo's data and signing key included
	@rm -rf .venv var build dist node_modules static/vendor .mypy_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info
