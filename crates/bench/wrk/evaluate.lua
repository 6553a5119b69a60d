-- One exchange of 120 words for POST /evaluate; wrk -t2 -c2000 -d60s --timeout 60s -s crates/bench/wrk/evaluate.lua http://127.0.0.1:8080/evaluate
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = [[{"query":"What does the annual pass of the harbour museum cost, and since when is it sold?","response":"The annual pass of the harbour museum costs $150 and has been sold since March 2019. Children under twelve pay half of it. The museum was founded in 1962 by the port authority, and it is located in the old customs house. About 40,000 people visit it every year, most of them in summer.","context":["The harbour museum was founded in 1962 by the port authority. It is located in the old customs house at the quay and is closed on Mondays.","An annual pass costs $150; it has been on sale since March 2019. Children under 12 pay $75 for it. Around 40,000 visitors come each year, mostly between June and August."]}]]
done = function(summary, latency, requests)
  io.write(string.format("p50 %.1f ms p90 %.1f ms p99 %.1f ms max %.1f ms requests %d errors connect %d read %d write %d status %d timeout %d\n",
    latency:percentile(50)/1000, latency:percentile(90)/1000, latency:percentile(99)/1000, latency.max/1000, summary.requests,
    summary.errors.connect, summary.errors.read, summary.errors.write, summary.errors.status, summary.errors.timeout))
end
