// Sends a bundle from the browser: SHA-256 first, then the tus protocol with progress, pause and resume.
"use strict";

(function () {
  const CHUNK_BYTES = 8 * 1024 * 1024; // A lost connection costs at most this much again.
  const form = document.querySelector("[data-upload]");
  if (!form) {
    return;
  }
  const part = (name) => form.querySelector(`[data-part="${name}"]`);
  const text = (name) => form.dataset[name];
  const hashLimit = Number(form.dataset.hashLimit);
  let upload = null;
  let paused = false;

  function say(message, kind) {
    const status = part("message");
    status.textContent = message;
    status.className = kind ? `notice notice-${kind}` : "notice";
  }

  function megabytes(bytes) {
    return `${(bytes / 1e6).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`;
  }

  function show(sent, total) {
    const bar = part("progress");
    bar.max = total;
    bar.value = sent;
    part("sent").textContent = `${megabytes(sent)} / ${megabytes(total)} (${Math.floor((100 * sent) / total)} %)`;
  }

  async function sha256(file) {
    const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function refusal(error) {
    const response = error.originalResponse;
    if (!response) {
      return text("offline");
    }
    try {
      const problem = JSON.parse(response.getBody());
      return `${problem.detail || problem.title} (${problem.id})`;
    } catch {
      return `${text("refused")} (${response.getStatus()})`;
    }
  }

  function finished(response) {
    const submission = response && response.getHeader("Vflops-Submission");
    say(text("done"), "good");
    part("pause").hidden = true;
    location.assign(submission ? `${text("submissions")}${submission}/` : text("submissions"));
  }

  function options(file, digest) {
    return {
      endpoint: text("endpoint"),
      chunkSize: CHUNK_BYTES,
      retryDelays: [0, 1000, 3000, 5000, 10000, 20000],
      removeFingerprintOnSuccess: true,
      headers: { "X-CSRFToken": form.querySelector("[name=csrfmiddlewaretoken]").value },
      metadata: {
        filename: file.name,
        sha256: digest,
        organisation: form.elements.organisation.value,
        publish: form.elements.publish.checked ? "true" : "false",
      },
      onProgress: show,
      onError: (error) => {
        say(refusal(error), "bad");
        part("pause").hidden = true;
        part("start").disabled = false;
      },
      onSuccess: (payload) => finished(payload && payload.lastResponse),
    };
  }

  function run() {
    upload.start();
    paused = false;
    say(text("sending"));
    part("pause").hidden = false;
    part("pause").textContent = text("pause");
  }

  async function start(event) {
    event.preventDefault();
    const file = form.elements.bundle.files[0];
    if (!file) {
      say(text("choose"), "warn");
      return;
    }
    if (file.size > hashLimit || !globalThis.crypto?.subtle) {
      say(text("tooLarge"), "warn");
      return;
    }
    part("start").disabled = true;
    say(text("hashing"));
    const digest = await sha256(file);
    part("digest").textContent = digest;
    part("facts").hidden = false;
    show(0, file.size);
    upload = new tus.Upload(file, options(file, digest));
    const earlier = await upload.findPreviousUploads();
    if (earlier.length > 0) {
      upload.resumeFromPreviousUpload(earlier[0]);
    }
    run();
  }

  async function togglePause() {
    if (paused) {
      run();
      return;
    }
    await upload.abort();
    paused = true;
    say(text("paused"), "warn");
    part("pause").textContent = text("resume");
  }

  form.addEventListener("submit", start);
  part("pause").addEventListener("click", togglePause);
  form.hidden = false;
})();
