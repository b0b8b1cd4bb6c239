import { chatModelConformance } from "@tinyagents/conformance/vitest";
import { subject } from "./subject.js";

chatModelConformance(subject);
