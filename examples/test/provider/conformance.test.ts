import { chatModelConformance, embeddingModelConformance } from "@tinyagents/conformance/vitest";
import { subject as embeddings } from "./acme-embeddings-subject.js";
import { subject } from "./subject.js";

// PKG-03, CNF-02
chatModelConformance(subject);

embeddingModelConformance(embeddings);
