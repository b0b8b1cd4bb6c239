import { z } from "zod";

// zod tries out whether it may make code, and takes it well when it may not. With this it does not even try, so that
// whatever the page's policy reports is somebody else. It has to stand before the first schema is made.
z.config({ jitless: true });
