import { blobStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { subject } from "./subject.js";

storeConformance(subject);
blobStoreConformance(subject);
