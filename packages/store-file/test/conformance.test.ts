import { blobStoreConformance, storeChaos, storeConformance } from "@tinyagents/conformance/vitest";
import { subject } from "./subject.js";

storeConformance(subject);
blobStoreConformance(subject);
storeChaos(subject, { kills: 5 });
