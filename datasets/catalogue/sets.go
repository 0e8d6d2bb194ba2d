package catalogue

import "github.com/sliced-wasserstein/lab/datasets/shapes"

const (
	modelNetTerms = "All CAD models are downloaded from the Internet and the original authors hold the copyright of the CAD models. " +
		"The label of the data was obtained by us via Amazon Mechanical Turk service and it is provided freely. " +
		"This dataset is provided for the convenience of academic research only."
	modelNetURL   = "https://modelnet.cs.princeton.edu/"
	shapeNetTerms = "ShapeNet: only for non-commercial research and educational purposes, after registration at shapenet.org; " +
		"passed on only to research associates and colleagues who have agreed to the same terms. The full text is at the address below."
	shapeNetURL = "https://shapenet.org/terms"
)

// catalogue lists the data sets. A size or a checksum is entered only if somebody who had the file
// published it; Recorded says who. Without one, the first fetch is trusted and recorded.
var catalogue = []Source{
	{
		Name: Builtin, Kind: Builtin, Clouds: 1280, Points: 2048, Classes: 32,
		What:    shapes.Version + ": procedural shapes, generated in memory",
		Licence: "MIT, that of this program",
	},
	{
		Name: "modelnet40-hdf5", Kind: "modelnet", Clouds: 12308, Points: 2048, Classes: 40, Parts: map[string]int{"train": 9840, "test": 2468}, Home: modelNetURL,
		What:    "ModelNet40 as PointNet's 2048-point HDF5 files: 9840 train, 2468 test",
		Licence: "academic research only", Terms: modelNetTerms, TermsURL: modelNetURL,
		Files: []File{{
			Name: "modelnet40_ply_hdf5_2048.zip",
			URLs: []string{
				"https://shapenet.cs.stanford.edu/media/modelnet40_ply_hdf5_2048.zip",
				"https://huggingface.co/datasets/Msun/modelnet40/resolve/main/modelnet40_ply_hdf5_2048.zip",
			},
			Bytes: 435212151, SHA256: "07670e237db72ece0f723b9abb571534c9ad655a6456b389646587dc72bb8bae",
			Recorded: "TensorFlow Graphics, datasets/modelnet40/checksums.tsv",
			Archive:  "zip",
		}},
		Root: "modelnet40_ply_hdf5_2048", MaxUnpacked: 8 << 30,
		Notes: "The first address has often been out of reach since 2024; the second is a private copy, taken only if its checksum is that of the first.",
	},
	{
		Name: "modelnet40", Kind: "meshes", Clouds: 12311, Classes: 40, Parts: map[string]int{"train": 9843, "test": 2468}, Home: modelNetURL,
		What:    "ModelNet40 meshes (.off): 9843 train, 2468 test",
		Licence: "academic research only", Terms: modelNetTerms, TermsURL: modelNetURL,
		Files: []File{{
			Name: "ModelNet40.zip", URLs: []string{"https://modelnet.cs.princeton.edu/ModelNet40.zip", "http://modelnet.cs.princeton.edu/ModelNet40.zip"},
			Bytes: 2039180837, SHA256: "42dc3e656932e387f554e25a4eb2cc0e1a1bd3ab54606e2a9eae444c60e536ac",
			Recorded: "TensorFlow Graphics, datasets/modelnet40/checksums/model_net40.txt", Archive: "zip",
		}},
		Root: "ModelNet40", MaxUnpacked: 40 << 30,
		Notes: "`swlab data sample modelnet40 --out DIR` samples the meshes once; reading them anew takes minutes.",
	},
	{
		Name: "modelnet10", Kind: "meshes", Clouds: 4899, Classes: 10, Parts: map[string]int{"train": 3991, "test": 908}, Home: modelNetURL,
		What:    "ModelNet10 meshes (.off): 3991 train, 908 test",
		Licence: "academic research only", Terms: modelNetTerms, TermsURL: modelNetURL,
		Files: []File{{
			Name: "ModelNet10.zip", URLs: []string{
				"http://3dvision.princeton.edu/projects/2014/3DShapeNets/ModelNet10.zip",
				"http://vision.princeton.edu/projects/2014/3DShapeNets/ModelNet10.zip",
			},
			Bytes: 473402300, SHA256: "9d8679435fc07d1d26f13009878db164a7aa8ea5e7ea3c8880e42794b7307d51",
			Recorded: "sha256: Flux3D.jl, datasets/modelnet; size: the PointNet example of keras.io", Archive: "zip",
		}},
		Root: "ModelNet10", MaxUnpacked: 12 << 30,
	},
	{
		Name: "psb", Kind: "meshes", Clouds: 1814, Home: "https://shape.cs.princeton.edu/benchmark/",
		What:    "Princeton Shape Benchmark, version 1: meshes (.off) from the web",
		Licence: "none stated for the models", TermsURL: "https://shape.cs.princeton.edu/benchmark/",
		Terms: "The models were collected from the World Wide Web for research in shape analysis. No licence is stated for them: each keeps " +
			"the rights of its author, whose address is in the model's _info.txt. Use them for research, and do not pass them on.",
		Files: []File{{
			Name: "psb_v1.zip", URLs: []string{
				"https://shape.cs.princeton.edu/benchmark/download/psb_v1.zip",
				"https://shape.cs.princeton.edu/benchmark/download.cgi?file=download/psb_v1.zip",
			},
			Archive: "zip",
		}},
		Root: "benchmark/db", MaxUnpacked: 16 << 30,
		Notes: "The folders are numbers, so the classes that are read from them mean nothing; the classification is in benchmark/classification.",
	},
	{
		Name: "shapenet-core55", Kind: "npz", Clouds: 57448, Points: 2048, Home: "https://www.merl.com/research/license#FoldingNet",
		What:    "ShapeNet Core-55 as sampled for FoldingNet; the paper's training set",
		Licence: "ShapeNet: non-commercial research and education", Terms: shapeNetTerms, TermsURL: shapeNetURL,
		Files:  []File{{Name: "shapenet57448xyzonly.npz"}},
		Manual: "register at https://shapenet.org; download shapenet57448xyzonly.npz in a browser from https://drive.google.com/uc?id=1sJd5bdCg9eOo3-FYtchUVlwDgpVdsbXB (FoldingNet's release)",
		Root:   "shapenet57448xyzonly.npz",
	},
	{
		Name: "shapenet-chairs", Kind: "folder", Clouds: 6778, Points: 2048, Parts: map[string]int{"train": 5763, "val": 338, "test": 677},
		Home:    "https://github.com/VinAIResearch/PointSWD",
		What:    "ShapeNet chairs in the authors' parts: 5763 train, 338 validation, 677 test",
		Licence: "ShapeNet: non-commercial research and education", Terms: shapeNetTerms, TermsURL: shapeNetURL,
		Files:  []File{{Name: "train.npz", To: "chairs/train/train.npz"}, {Name: "val.npz", To: "chairs/val/val.npz"}, {Name: "test.npz", To: "chairs/test/test.npz"}},
		Manual: "register at https://shapenet.org; get train.npz, val.npz and test.npz with dataset/download_shapenet_chair.sh of https://github.com/VinAIResearch/PointSWD into one folder",
		Root:   "chairs",
	},
}
