import { checkpointStoreConformance } from "@tinyagents/conformance/vitest";
import { checkpointStore } from "@tinyagents/persistence";
import { memoryBackend } from "@tinyagents/store-memory";

checkpointStoreConformance({
  name: "checkpointStore on memoryBackend (CKP-01, CKP-02, CNF-06, DG-11, ST-04, SE-04, SE-06)",
  create: () => ({
    open: () => {
      const { log, close } = memoryBackend();
      return { checkpoints: checkpointStore(log), close };
    },
  }),
});
